#include "run/array.h"

#include <inttypes.h>
#include <string.h>

#include "model/element.h"

/* NumPy's defaults: threshold, edgeitems and linewidth of numpy.set_printoptions(). */
#define MOST_ELEMENTS 1000
#define EDGE_ELEMENTS 3
#define LINE_WIDTH    75

/* Stands for what is left out. */
#define GAP "..."

struct printer {
    FILE *stream;
    const struct array *array;
    bool cut;     /* only the ends of each dimension are printed */
    size_t width; /* of the longest element */
    size_t column;
};

static uint64_t count_from(const struct array *array, uint32_t dimension) {
    uint64_t count = 1;
    for (uint32_t i = dimension; i < array->dimension_count; i++) {
        count *= array->sizes[i];
    }
    return count;
}

/* The coordinate after one in a dimension; *gap where some between the two are left out. */
static uint64_t next_coordinate(const struct printer *printer, uint32_t dimension, uint64_t coordinate, bool *gap) {
    const uint64_t size = printer->array->sizes[dimension];
    *gap = printer->cut && size > 2 * EDGE_ELEMENTS && coordinate + 1 == EDGE_ELEMENTS;
    return *gap ? size - EDGE_ELEMENTS : coordinate + 1;
}

static void format(const struct printer *printer, uint64_t index, char text[ELEMENT_TEXT_SIZE]) {
    unsigned char element[8] = {0};
    element_load(printer->array->type, printer->array->elements, index, element);
    element_format(printer->array->type, element, printer->array->verbose, text);
}

/* The longest text of an element that is printed, of those from `index` on in a dimension and those behind it. */
static size_t longest(const struct printer *printer, uint32_t dimension, uint64_t index) {
    const struct array *array = printer->array;
    char text[ELEMENT_TEXT_SIZE];
    size_t width = 0;
    bool gap;
    if (dimension == array->dimension_count) {
        format(printer, index, text);
        return strlen(text);
    }
    const uint64_t step = count_from(array, dimension + 1);
    for (uint64_t i = 0; i < array->sizes[dimension]; i = next_coordinate(printer, dimension, i, &gap)) {
        const size_t found = longest(printer, dimension + 1, index + i * step);
        width = found > width ? found : width;
    }
    return width;
}

/* Begins a line behind so many open brackets. */
static void begin_line(struct printer *printer, uint32_t indent) {
    fprintf(printer->stream, "\n%*s", (int)indent, "");
    printer->column = indent;
}

/* Begins another block of a dimension; blocks of more dimensions stand farther apart. */
static void begin_block(struct printer *printer, uint32_t dimension) {
    for (uint32_t inner = printer->array->dimension_count - dimension; inner > 1; inner--) {
        fputc('\n', printer->stream);
    }
    begin_line(printer, dimension);
}

static void print_word(struct printer *printer, const char *word, size_t width, bool first) {
    const uint32_t indent = printer->array->dimension_count;
    const size_t taken = (first ? 0 : 1) + width;
    if (!first && printer->column + taken > LINE_WIDTH) {
        begin_line(printer, indent);
        first = true;
    }
    fprintf(printer->stream, "%s%*s", first ? "" : " ", (int)width, word);
    printer->column += (first ? 0 : 1) + width;
}

static void print_row(struct printer *printer, uint32_t dimension, uint64_t index) {
    char text[ELEMENT_TEXT_SIZE];
    bool gap = false;
    for (uint64_t i = 0; i < printer->array->sizes[dimension]; i = next_coordinate(printer, dimension, i, &gap)) {
        if (gap) {
            print_word(printer, GAP, strlen(GAP), false);
        }
        format(printer, index + i, text);
        print_word(printer, text, printer->width, i == 0);
    }
}

static void print_from(struct printer *printer, uint32_t dimension, uint64_t index) {
    const struct array *array = printer->array;
    const uint32_t inner = array->dimension_count - dimension - 1; /* dimensions within this one */
    bool gap = false;
    fputc('[', printer->stream);
    printer->column++;
    if (inner == 0) {
        print_row(printer, dimension, index);
    } else {
        const uint64_t step = count_from(array, dimension + 1);
        for (uint64_t i = 0; i < array->sizes[dimension]; i = next_coordinate(printer, dimension, i, &gap)) {
            if (gap) {
                begin_block(printer, dimension + 1);
                fputs(GAP, printer->stream);
            }
            if (i > 0) {
                begin_block(printer, dimension + 1);
            }
            print_from(printer, dimension + 1, index + i * step);
        }
    }
    fputc(']', printer->stream);
}

void array_print(FILE *stream, const struct array *array) {
    struct printer printer = {.stream = stream, .array = array};
    const uint64_t count = count_from(array, 0);
    char text[ELEMENT_TEXT_SIZE];
    printer.cut = count > MOST_ELEMENTS;
    if (count == 0) {
        fputs("[]", stream);
    } else if (array->dimension_count == 0) {
        format(&printer, 0, text);
        fputs(text, stream);
    } else {
        printer.width = longest(&printer, 0, 0);
        print_from(&printer, 0, 0);
    }
    fputc('\n', stream);
}
