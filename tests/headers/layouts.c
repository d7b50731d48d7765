/* Compiles, as C11 and as C++, where DirectML's structs are declared with DirectML's layout: every field of its type at
 * its offset. */
#include <vkdml/dml_types.h>

#include <assert.h>
#include <stddef.h>

#ifdef __cplusplus
#include <type_traits>
#define OF(Struct, Field)               Struct::Field
#define IS_OF_TYPE(Struct, Field, type) std::is_same<decltype(OF(Struct, Field)), type>::value
#else
#define OF(Struct, Field)               ((Struct *)0)->Field
#define IS_OF_TYPE(Struct, Field, type) _Generic(OF(Struct, Field), type : 1, default : 0)
#endif

/* The figures are of 64-bit pointers. */
#define LP64(condition) (sizeof(void *) != 8 || (condition))
#define STRUCT(Struct, size)                                                                                           \
    static_assert(LP64(sizeof(Struct) == (size)), #Struct " has not the size that it has in DirectML");
#define MEMBER(Struct, Field, type, offset, size)                                                                      \
    static_assert(IS_OF_TYPE(Struct, Field, type), #Struct "." #Field " is not of DirectML's type, " #type);           \
    static_assert(LP64(offsetof(Struct, Field) == (offset) && sizeof(OF(Struct, Field)) == (size)),                    \
                  #Struct "." #Field " does not lie where it does in DirectML, at " #offset);

#define OPERATOR(NAME, value, size)                                                                                    \
    static_assert(DML_OPERATOR_##NAME == (value), "DML_OPERATOR_" #NAME " has not DirectML's value, " #value);         \
    STRUCT(DML_##NAME##_OPERATOR_DESC, size)
#define FIELD(NAME, Field, type, offset, size) MEMBER(DML_##NAME##_OPERATOR_DESC, Field, type, offset, size)
#include "operator_layouts.inc"
#undef OPERATOR
#undef FIELD

/* All 177: as many rows, of different values. */
#define OPERATOR(NAME, value, size) +1
#define FIELD(NAME, Field, type, offset, size)
static_assert(0
#include "operator_layouts.inc"
                  == 177,
              "operator_layouts.inc has not a row for each of DirectML's operators");
#undef OPERATOR
#define OPERATOR(NAME, value, size) case value:
int vkdml_layouts_is_operator(int type);
int vkdml_layouts_is_operator(int type) {
    switch (type) {
#include "operator_layouts.inc"
        return 1;
    default:
        return 0;
    }
}

/* Code uses both names of 94. */
static_assert(DML_OPERATOR_SCATTER == DML_OPERATOR_SCATTER_ELEMENTS, "SCATTER is SCATTER_ELEMENTS");
MEMBER(DML_SCATTER_OPERATOR_DESC, Axis, uint32_t, 32, 4)
MEMBER(DML_SCATTER_ELEMENTS_OPERATOR_DESC, Axis, uint32_t, 32, 4)

#include "struct_layouts.inc"
