/* What the loops of a library call: memory that they allocate themselves, in the layout that Numba's code expects,
   and the few functions that its error paths name; and the function that Python calls for all of them. Everything is
   hidden but the names that `library.py` uses. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#ifdef _WIN32
#define EXPORT __declspec(dllexport)
#else
#define EXPORT __attribute__((visibility("default")))
#endif

/* The size of the header of a Python object, and the address of numpy.ndarray; set when a library is opened. */
EXPORT int64_t ougi_header = 0;
EXPORT int64_t ougi_ndarray = 0;

/* --- memory of loops ------------------------------------------------------------------------------------- */

typedef void destructor(void *data, size_t size, void *info);

typedef struct {
    size_t count;
    destructor *destroy;
    void *info; /* of the destructor */
    void *data;
    size_t size;
    size_t has_own_data; /* in a second block, which can grow */
} Block;

void *NRT_Allocate(size_t size) { return malloc(size); }

void NRT_Free(void *data) { free(data); }

static Block *allocate(size_t size, size_t align) {
    Block *block = malloc(sizeof(Block) + align + size);
    if (block != NULL) {
        uintptr_t behind = (uintptr_t)(block + 1);
        void *data = (void *)((behind + align - 1) / align * align);
        *block = (Block){1, NULL, NULL, data, size, 0};
    }
    return block;
}

void *NRT_MemInfo_alloc(size_t size) { return allocate(size, 16); }

void *NRT_MemInfo_alloc_aligned(size_t size, unsigned align) { return allocate(size, align); }

void *NRT_MemInfo_alloc_safe_aligned(size_t size, unsigned align) { return allocate(size, align); }

void *NRT_MemInfo_new_varsize_dtor(size_t size, destructor *destroy) {
    Block *block = malloc(sizeof(Block));
    if (block != NULL) {
        *block = (Block){1, destroy, NULL, malloc(size), size, 1};
        if (block->data == NULL) {
            free(block);
            block = NULL;
        }
    }
    return block;
}

void *NRT_MemInfo_varsize_realloc(Block *block, size_t size) {
    void *data = realloc(block->data, size);
    if (data != NULL) {
        block->data = data;
        block->size = size;
    }
    return data;
}

void NRT_MemInfo_call_dtor(Block *block) {
    if (block->destroy != NULL) block->destroy(block->data, block->size, block->info);
    if (block->has_own_data) free(block->data);
    free(block);
}

EXPORT void ougi_release(Block *block) {
    if (block != NULL && --block->count == 0) NRT_MemInfo_call_dtor(block);
}

/* Strides of an array in another shape, without a copy; here for C-contiguous arrays alone. */
int numba_attempt_nocopy_reshape(int64_t ndim, const int64_t *shape, const int64_t *strides, int64_t new_ndim,
                                 const int64_t *new_shape, int64_t *new_strides, int64_t itemsize, int is_fortran) {
    int64_t expected = itemsize, count = 1;
    for (int64_t k = 0; k < ndim; k++) count *= shape[k];
    for (int64_t k = ndim - 1; k >= 0; k--) {
        /* The strides of an empty array are 0. */
        if (is_fortran || (count != 0 && shape[k] != 1 && strides[k] != expected)) return 0;
        expected *= shape[k];
    }
    for (int64_t k = new_ndim - 1, step = itemsize; k >= 0; k--) {
        new_strides[k] = step;
        step *= new_shape[k];
    }
    return 1;
}

/* What Numba calls for math.ldexp and math.frexp. */
double numba_ldexp(double x, int exponent) { return ldexp(x, exponent); }

double numba_frexp(double x, int *exponent) { return frexp(x, exponent); }

/* An error of a loop is a status of its entry point, without a message. */
void *PyExc_RuntimeError = NULL;

void PyErr_SetString(void *kind, const char *message) {
    (void)kind;
    (void)message;
}

/* --- calls from Python ------------------------------------------------------------------------------------ */

typedef void Object; /* a PyObject */

/* Functions and objects of the interpreter, all of its stable interface; set when a library is opened. So a library
   needs no headers of Python, and is not linked with it. The order is that of `entry.py`. */
EXPORT struct {
    int64_t (*as_int)(Object *);
    uint64_t (*as_unsigned)(Object *);
    double (*as_float)(Object *);
    int (*as_bool)(Object *);
    Object *(*from_int)(int64_t);
    Object *(*from_unsigned)(uint64_t);
    Object *(*from_float)(double);
    Object *(*from_bool)(long);
    Object *(*tuple_item)(Object *, intptr_t);
    Object *(*tuple_new)(intptr_t);
    int (*tuple_set)(Object *, intptr_t, Object *);
    void *(*save_thread)(void);
    void (*restore_thread)(void *);
    Object *(*error_occurred)(void);
    Object *(*error_format)(Object *, const char *, ...);
    void *(*as_address)(Object *);
    void (*own)(Object *);
    Object *none, *type_error, *runtime_error;
} ougi_python;

#define MAX_WORDS 128

typedef union {
    int64_t whole;
    double real;
    Object *item;
} Word;

/* A loop. Arguments and results are one character each: A is an array; i, u, f, b are numbers; and '0' + n is a tuple
   of n, which follow. */
typedef struct {
    int32_t (*entry)(Word *results, const Word *arguments);
    const char *name, *arguments, *result;
    int64_t count;
} Loop;

/* Read an argument into words; the word behind the last one, or NULL with an error of Python. */
static Word *read_argument(const char **code, Object *item, Word *at) {
    const char kind = *(*code)++;
    switch (kind) {
    case 'A': at->item = item; return at + 1;
    case 'f': at->real = ougi_python.as_float(item); break;
    case 'b': at->whole = ougi_python.as_bool(item); break;
    case 'u': at->whole = (int64_t)ougi_python.as_unsigned(item); break;
    case 'i': at->whole = ougi_python.as_int(item); break;
    default:
        for (int k = 0; k < kind - '0'; k++) {
            Object *part = ougi_python.tuple_item(item, k);
            if (part == NULL || (at = read_argument(code, part, at)) == NULL) return NULL;
        }
        return at;
    }
    /* Beside an error the functions return -1. */
    if ((at->whole == -1 || at->real == -1.0) && ougi_python.error_occurred() != NULL) return NULL;
    return at + 1;
}

static Object *build_result(const char **code, const Word **at) {
    const char kind = *(*code)++;
    switch (kind) {
    case 'f': return ougi_python.from_float((*at)++->real);
    case 'b': return ougi_python.from_bool((long)(*at)++->whole);
    case 'u': return ougi_python.from_unsigned((uint64_t)(*at)++->whole);
    case 'i': return ougi_python.from_int((*at)++->whole);
    default: {
        Object *made = ougi_python.tuple_new(kind - '0');
        for (int k = 0; made != NULL && k < kind - '0'; k++) ougi_python.tuple_set(made, k, build_result(code, at));
        return made;
    }
    }
}

/* The function of all loops (METH_FASTCALL); `self` is the address of a Loop. */
EXPORT Object *ougi_call(Object *self, Object *const *arguments, intptr_t count) {
    const Loop *loop = ougi_python.as_address(self);
    const char *code = loop->arguments;
    Word words[MAX_WORDS], results[MAX_WORDS], *at = words;
    if (count != loop->count)
        return ougi_python.error_format(ougi_python.type_error, "%s takes %zd arguments, got %zd", loop->name,
                                        (size_t)loop->count, count);
    for (int64_t k = 0; k < count; k++)
        if ((at = read_argument(&code, arguments[k], at)) == NULL) return NULL;
    void *thread = ougi_python.save_thread();
    int32_t status = loop->entry(results, words);
    ougi_python.restore_thread(thread);
    if (status > 0)
        return ougi_python.error_format(ougi_python.type_error,
                                        "argument %d of %s must be a C-contiguous array of its signature, got %.200R",
                                        status, loop->name, words[status - 1].item);
    if (status < 0)
        return ougi_python.error_format(ougi_python.runtime_error,
                                        "%s failed: a loop ran out of memory or raised an error", loop->name);
    if (*loop->result == 0) {
        ougi_python.own(ougi_python.none);
        return ougi_python.none;
    }
    code = loop->result;
    const Word *result = results;
    return build_result(&code, &result);
}
