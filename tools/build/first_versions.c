/* Functions of glibc that have a newer version since 2.28, with the behaviour and the symbol of their first version,
 * which glibc keeps. A library that links them runs with older versions of glibc, too; wheel.sh does, and defines
 * FIRST_VERSION, as "GLIBC_2.17", and STAT_VERSION, which older headers of glibc had as _STAT_VER. */
struct stat64;

#define FIRST(function, own) __asm__(".symver " #own ", " #function "@" FIRST_VERSION)
#define HIDDEN               __attribute__((visibility("hidden")))

/* Before 2.29, and fmodf() before 2.38, they set errno in a wrapper; the numbers are the same. */
FIRST(exp, first_exp);
FIRST(log, first_log);
FIRST(pow, first_pow);
FIRST(fmodf, first_fmodf);
double first_exp(double x);
double first_log(double x);
double first_pow(double x, double y);
float first_fmodf(float x, float y);
HIDDEN double exp(double x);
HIDDEN double log(double x);
HIDDEN double pow(double x, double y);
HIDDEN float fmodf(float x, float y);

double exp(double x) {
    return first_exp(x);
}

double log(double x) {
    return first_log(x);
}

double pow(double x, double y) {
    return first_pow(x, y);
}

float fmodf(float x, float y) {
    return first_fmodf(x, y);
}

/* Before 2.33 no library had these: programs had copies of them, which called the ones with __. */
FIRST(__xstat64, first_xstat64);
FIRST(__lxstat64, first_lxstat64);
FIRST(__fxstat64, first_fxstat64);
int first_xstat64(int version, const char *path, struct stat64 *status);
int first_lxstat64(int version, const char *path, struct stat64 *status);
int first_fxstat64(int version, int file, struct stat64 *status);
HIDDEN int stat64(const char *path, struct stat64 *status);
HIDDEN int lstat64(const char *path, struct stat64 *status);
HIDDEN int fstat64(int file, struct stat64 *status);

int stat64(const char *path, struct stat64 *status) {
    return first_xstat64(STAT_VERSION, path, status);
}

int lstat64(const char *path, struct stat64 *status) {
    return first_lxstat64(STAT_VERSION, path, status);
}

int fstat64(int file, struct stat64 *status) {
    return first_fxstat64(STAT_VERSION, file, status);
}

/* The C++ library reads this variable, which glibc has since 2.32. 0 means that other threads may exist. */
HIDDEN extern char __libc_single_threaded;
char __libc_single_threaded = 0;

/* Before 2.36 there was none; getentropy() is 2.25's, and cannot fail for four bytes. */
int getentropy(void *bytes, unsigned long size);
HIDDEN unsigned arc4random(void);

unsigned arc4random(void) {
    unsigned number = 0;
    (void)!getentropy(&number, sizeof(number));
    return number;
}
