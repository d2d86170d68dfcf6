/* What the loops of a library call: memory that they allocate themselves, in the layout that Numba's code expects,
   and the few functions that its error paths name. Everything is hidden but the names that `library.py` uses. */

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

/* An error of a loop is a status of its entry point, without a message. */
void *PyExc_RuntimeError = NULL;

void PyErr_SetString(void *kind, const char *message) {
    (void)kind;
    (void)message;
}
