/**
 * @file
 * ONNX models on DirectML's operators: the library libvkdml_onnx, beside libvkdml.
 *
 * A model is opened with a device of its own. Opening it also loads its weights, which are kept once for all shapes, and
 * creates pipelines (see VKDML_ONNX_PREPARE_LATER). It is planned at the first run of each shape, and the plan is kept;
 * one plan may hold for a range of lengths that grow (docs/ONNX.md, Growing sizes). Functions that return a VkdmlResult have, where they fail, told why:
 * vkdmlOnnxGetErrorMessage() gives it to the thread. The code is vkdml's: VKDML_ERROR_INVALID_ARGUMENT of a model or
 * inputs that are refused, VKDML_ERROR_OUT_OF_HOST_MEMORY where memory is out, and then the same call may be repeated,
 * VKDML_ERROR_DEVICE_LOST on a device that is lost, and so on.
 *
 * Threads: what is known of a model (inputs, outputs, device) may be asked by any at any time. Runs of one model take
 * turns: vkdmlOnnxBeginRun() waits for the end of another thread's, and a run belongs to the thread that began it.
 * Models do not touch one another. A model is closed when no thread uses it.
 *
 * Processes: a model does not survive fork(). In the child its runs fail at once with VKDML_ERROR_DEVICE_LOST, closing
 * it does nothing, and a model that the child opens works.
 */
#ifndef VKDML_ONNX_H
#define VKDML_ONNX_H

#include <stddef.h>
#include <stdint.h>

#include <vkdml/result.h>

#if defined(__GNUC__) && !defined(VKDML_ONNX_API)
#define VKDML_ONNX_API __attribute__((visibility("default")))
#elif !defined(VKDML_ONNX_API)
#define VKDML_ONNX_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define VKDML_ONNX_MAX_RANK 8u

typedef struct VkdmlOnnxModel_T *VkdmlOnnxModel;
typedef struct VkdmlOnnxRun_T *VkdmlOnnxRun;

/** Sums of FLOAT16 may be computed in half precision; nothing is fused; the CPU reference computes, not the device. */
#define VKDML_ONNX_ALLOW_HALF   1u
#define VKDML_ONNX_NODE_BY_NODE 2u
#define VKDML_ONNX_REFERENCE    4u
/** Normalizations, softmax and attention that the model writes out as several FLOAT16 nodes keep their intermediate
 * values in FLOAT32. This changes results. */
#define VKDML_ONNX_FLOAT32_INTERMEDIATES 8u

/** After each run its nodes run one by one, and vkdmlOnnxExecuteRun() fails with the first that goes wrong, with the
 *  ranges of its inputs and the reason. CHECK_FINITE: nodes that make infinities or NaN of finite inputs
 *  (VKDML_ERROR_INVALID_ARGUMENT). CHECK_CPU: nodes, and then outputs, that are not the CPU reference's
 *  (VKDML_ERROR_DRIVER). The outputs are written. Both are slow. */
#define VKDML_ONNX_CHECK_FINITE 16u
#define VKDML_ONNX_CHECK_CPU    32u

/** vkdmlOnnxOpenModel() compiles nothing and loads no weights; the first run of each shape does what it needs. Without
 *  this flag, opening a model does before the first run what does not depend on the inputs. If the model states all
 *  sizes, it is compiled. Otherwise it is compiled for a few sizes that fit, which creates the pipelines that other
 *  sizes use, and takes no memory for tensors. What cannot be prepared is left to the first run and is no failure. */
#define VKDML_ONNX_PREPARE_LATER 64u

/**
 * Receives warnings: a pipeline cache that cannot be read or written, once for each model, with the reason.
 *
 * Called on the thread whose call caused the warning, vkdmlOnnxCloseModel() among them. The message is valid during the
 * call only. Must not call vkdml.
 */
typedef void (*VkdmlOnnxWarningCallback)(void *userData, const char *message);

/**
 * Tells how far weights are loaded: when the model is opened, at the first run if that did not load them, and where a
 * new input shape needs weights in another form.
 *
 * Called on the thread that opens the model or begins the run, after each part of some MiB. `doneBytes` of `totalBytes`
 * are on the device. Must not call vkdml.
 */
typedef void (*VkdmlOnnxProgressCallback)(void *userData, uint64_t doneBytes, uint64_t totalBytes);

typedef struct VkdmlOnnxOpenInfo {
    size_t structSize;       /**< sizeof(VkdmlOnnxOpenInfo) */
    const char *path;        /**< of the model; external data lies beside it. Large tensors are mapped, not copied:
                                  files that are written while the model is open are an error at the next new shape */
    const char *device;      /**< as VkdmlDeviceOpenInfo::name; NULL: the best, or what VKDML_DEVICE names */
    const char *cacheFolder; /**< existing folder for compiled pipelines, a file for each device and driver, readable by
                                  its user only; NULL: none; "" is refused */
    uint32_t flags;          /**< of VKDML_ONNX_.. */
    uint32_t shapesKept;     /**< at most so many shapes are kept compiled; 0: as many as keptBytes allows */
    VkdmlOnnxWarningCallback warningCallback; /**< NULL: silent. Callers of older headers do not have this member */
    void *warningUserData;                    /**< handed to warningCallback */
    uint64_t keptBytes; /**< memory that shapes which are kept compiled may take together, an estimate, in bytes; 0: 256
                             MiB. The least recently used shapes go first; one is always kept. Weights do not count: they
                             are kept once, for all shapes. Callers of older headers do not have this member and those
                             below */
    VkdmlOnnxProgressCallback progressCallback; /**< NULL: none */
    void *progressUserData;                     /**< handed to progressCallback */
} VkdmlOnnxOpenInfo;

/** Memory that a model takes. */
typedef struct VkdmlOnnxMemory {
    size_t structSize;    /**< sizeof(VkdmlOnnxMemory) */
    uint64_t weightBytes; /**< on the device, for weights */
    uint64_t tensorBytes; /**< on the device, for temporary memory, inputs and outputs: what the largest shape takes, since
                               shapes do not run at the same time */
    uint64_t shapeBytes;  /**< for shapes that are kept compiled, besides the above: an estimate */
    uint32_t shapeCount;  /**< so many are */
} VkdmlOnnxMemory;

/** An input or output as the model says it. */
typedef struct VkdmlOnnxValue {
    const char *name;
    uint32_t type;     /**< TensorProto.DataType; 0: not said */
    uint32_t hasShape; /**< 0: not said */
    uint32_t rank;
    int64_t sizes[VKDML_ONNX_MAX_RANK];       /**< -1: open */
    const char *symbols[VKDML_ONNX_MAX_RANK]; /**< names of sizes that are open, or NULL */
} VkdmlOnnxValue;

/** A tensor of a run: elements in C order, bools of a byte. */
typedef struct VkdmlOnnxTensor {
    uint32_t type; /**< TensorProto.DataType */
    uint32_t rank;
    uint32_t sizes[VKDML_ONNX_MAX_RANK];
    uint64_t bytes;   /**< of an output; of an input it is not read */
    const void *data; /**< of an input; of an output NULL */
} VkdmlOnnxTensor;

/** What becomes of a node. */
typedef enum VkdmlOnnxOutcome {
    VKDML_ONNX_TRANSLATED, /**< of no operators: a view, or computed while planning */
    VKDML_ONNX_REFUSED,
    VKDML_ONNX_UNREACHED, /**< behind a refused one whose shape the model does not say */
    VKDML_ONNX_UNNEEDED,  /**< no output depends on it */
} VkdmlOnnxOutcome;

typedef struct VkdmlOnnxNode {
    const char *name, *domain, *op;
    uint32_t version; /**< of the domain's operator set */
    VkdmlOnnxOutcome outcome;
    const char *reason; /**< of a refusal; "" else */
    uint32_t operatorCount;
    const int32_t *operators; /**< DML_OPERATOR_TYPE */
} VkdmlOnnxNode;

/** Called for a node; what it points to lives until it returns. */
typedef void (*VkdmlOnnxNodeCallback)(void *userData, const VkdmlOnnxNode *node);

/** The reason of the thread's last failure, "" before the first; until its next call. */
VKDML_ONNX_API const char *vkdmlOnnxGetErrorMessage(void);

VKDML_ONNX_API VkdmlResult vkdmlOnnxOpenModel(const VkdmlOnnxOpenInfo *info, VkdmlOnnxModel *model);
/** NULL is ignored. Runs have ended. */
VKDML_ONNX_API void vkdmlOnnxCloseModel(VkdmlOnnxModel model);

VKDML_ONNX_API const char *vkdmlOnnxGetDeviceName(VkdmlOnnxModel model);
VKDML_ONNX_API uint32_t vkdmlOnnxGetInputCount(VkdmlOnnxModel model); /**< that must be given */
/** Inputs that have initializers, which hold where no other value is given. Their indices follow the others'. */
VKDML_ONNX_API uint32_t vkdmlOnnxGetOptionalInputCount(VkdmlOnnxModel model);
VKDML_ONNX_API uint32_t vkdmlOnnxGetOutputCount(VkdmlOnnxModel model);
/** Of an index below the count, with optional inputs below the sum of the two counts; texts live as long as the model. */
VKDML_ONNX_API void vkdmlOnnxGetInput(VkdmlOnnxModel model, uint32_t index, VkdmlOnnxValue *value);
VKDML_ONNX_API void vkdmlOnnxGetOutput(VkdmlOnnxModel model, uint32_t index, VkdmlOnnxValue *value);

/** The memory that a model takes, as of the latest begin or end of a run. */
VKDML_ONNX_API VkdmlResult vkdmlOnnxGetMemory(VkdmlOnnxModel model, VkdmlOnnxMemory *memory);

/** Tells of each node of the graph what it becomes for inputs of these types and sizes; data may be NULL, and is looked
 *  at where shapes depend on it. Refused nodes are no failure. */
VKDML_ONNX_API VkdmlResult vkdmlOnnxReportNodes(VkdmlOnnxModel model, uint32_t inputCount,
                                                const VkdmlOnnxTensor *inputs, VkdmlOnnxNodeCallback callback,
                                                void *userData);

/** Makes ready for inputs, in the model's order, which stay the caller's and are read until vkdmlOnnxEndRun(). Optional
 *  inputs may follow; those that are left out, and those of type 0, have the values of their initializers. If sizes
 *  depend on data (NonZero, NonMaxSuppression, Compress, Unique), this also computes the data that they depend on. */
VKDML_ONNX_API VkdmlResult vkdmlOnnxBeginRun(VkdmlOnnxModel model, uint32_t inputCount, const VkdmlOnnxTensor *inputs,
                                             VkdmlOnnxRun *run);
/** The type and the sizes of output `index`, and its bytes; valid from vkdmlOnnxBeginRun() on. */
VKDML_ONNX_API void vkdmlOnnxGetResult(VkdmlOnnxRun run, uint32_t index, VkdmlOnnxTensor *result);
/** Runs, and writes each output, as many bytes as vkdmlOnnxGetResult() says; NULL ones are not written. May be called
 *  again, with what the inputs' memory then holds, unless the plan depends on it. If sizes depend on data, a further
 *  call computes all of the model again, and fails with VKDML_ERROR_INVALID_ARGUMENT if an output gets other sizes than
 *  vkdmlOnnxGetResult() says. */
VKDML_ONNX_API VkdmlResult vkdmlOnnxExecuteRun(VkdmlOnnxRun run, void *const *outputs);
/** NULL is ignored. */
VKDML_ONNX_API void vkdmlOnnxEndRun(VkdmlOnnxRun run);

#ifdef __cplusplus
}
#endif

#endif
