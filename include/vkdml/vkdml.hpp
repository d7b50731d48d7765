/**
 * @file vkdml.hpp
 * @brief Optional: vkdml's objects as C++17 handles, which destroy what they hold. Header only, over the C API.
 *
 * A handle owns one object of the C API or none; it moves and does not copy. get() lends the object to functions of the
 * C API, release() gives it away, reset() destroys it, put() lets a function of the C API fill it in. A handle is as
 * large as a pointer, and nothing here allocates but an exception.
 *
 * The order of destruction is the C API's: a device is destroyed after what was made from it, so it is declared
 * before, and all GPU work that uses an object has finished. A handle that was moved from is empty; calls on an empty
 * one fail as the C API's do where it is given NULL.
 *
 * **With exceptions** the member functions that can fail throw vkdml::Error, and what they return is never empty. Small
 * programs have vkdml::Session too (session.hpp): arrays on the device, copies, submission.
 * **Without** (-fno-exceptions, or VKDML_HPP_NO_EXCEPTIONS defined before this is included, in all files of a program)
 * there are the handles alone, and the C API makes the calls:
 *
 *     vkdml::Operator op;
 *     if (vkdmlCreateOperator(device.get(), &desc, op.put()) != VKDML_SUCCESS) { ... vkdmlGetErrorMessage() ... }
 */
#ifndef VKDML_HPP
#define VKDML_HPP

#if !defined(__cpp_exceptions) && !defined(VKDML_HPP_NO_EXCEPTIONS)
#define VKDML_HPP_NO_EXCEPTIONS
#endif

#include "vkdml/vkdml.h"

#ifndef VKDML_HPP_NO_EXCEPTIONS
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#endif

namespace vkdml {

/** Owns an object of the C API. Not free-threaded itself; the object is what the C API says of it. */
template <typename Object, void (*destroy)(Object)> class Handle {
  public:
    /** Holds nothing. */
    Handle() noexcept = default;

    /** Takes an object over. */
    explicit Handle(Object object) noexcept : object_(object) {
    }

    /** Takes over what another holds, which is empty then. */
    Handle(Handle &&other) noexcept : object_(other.release()) {
    }

    /** The same; what it held itself is destroyed. */
    Handle &operator=(Handle &&other) noexcept {
        if (this != &other) {
            reset(other.release());
        }
        return *this;
    }

    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;

    ~Handle() {
        destroy(object_);
    }

    /** The object, for functions of the C API; it stays the handle's. NULL: none. */
    [[nodiscard]] Object get() const noexcept {
        return object_;
    }

    /** Whether it holds an object. */
    explicit operator bool() const noexcept {
        return object_ != nullptr;
    }

    /** Gives the object away: the caller destroys it. */
    [[nodiscard]] Object release() noexcept {
        Object object = object_;
        object_ = nullptr;
        return object;
    }

    /** Destroys what it holds, and takes another object over or none. */
    void reset(Object object = nullptr) noexcept {
        Object old = object_;
        object_ = object;
        destroy(old);
    }

    /** Destroys what it holds. Where a function of the C API puts an object, which then is the handle's. */
    [[nodiscard]] Object *put() noexcept {
        reset();
        return &object_;
    }

  private:
    Object object_ = nullptr;
};

/** What vkdmlExplainOperator() tells: get()->steps and so on. */
using Explanation = Handle<const VkdmlExplanation *, vkdmlDestroyExplanation>;

/** Weights that compiled graphs share: VkdmlWeightStore. Session has Weights, with pages of its own (session.hpp). */
using WeightStore = Handle<VkdmlWeightStore, vkdmlDestroyWeightStore>;

#ifdef VKDML_HPP_NO_EXCEPTIONS

using BindingTable = Handle<VkdmlBindingTable, vkdmlDestroyBindingTable>;
using Dispatchable = Handle<VkdmlDispatchable, vkdmlDestroyDispatchable>;
using Operator = Handle<VkdmlOperator, vkdmlDestroyOperator>;
using Device = Handle<VkdmlDevice, vkdmlDestroyDevice>;

#else

/** A call that failed. what() is the reason, as vkdmlGetErrorMessage() told it. */
class Error : public std::runtime_error {
  public:
    /** Of the calling thread's latest failure. */
    explicit Error(VkdmlResult result) : std::runtime_error(vkdmlGetErrorMessage()), result_(result) {
    }

    /** Of a failure that the library has not seen. */
    Error(VkdmlResult result, const std::string &reason) : std::runtime_error(reason), result_(result) {
    }

    /** What the call returned. */
    [[nodiscard]] VkdmlResult result() const noexcept {
        return result_;
    }

  private:
    VkdmlResult result_;
};

/** Throws Error unless the call succeeded: for functions of the C API that have no member here. */
inline void check(VkdmlResult result) {
    if (result != VKDML_SUCCESS) {
        throw Error(result);
    }
}

/** Buffers bound to a dispatchable: VkdmlBindingTable. One thread at a time. */
class BindingTable : public Handle<VkdmlBindingTable, vkdmlDestroyBindingTable> {
  public:
    using Handle::Handle;

    /** vkdmlBindInputs(): all of them, of an array or a container whose elements lie side by side. */
    template <typename Bindings> void bindInputs(const Bindings &bindings) {
        check(vkdmlBindInputs(get(), static_cast<std::uint32_t>(std::size(bindings)), std::data(bindings)));
    }
    /** The same of a list in braces. */
    void bindInputs(std::initializer_list<VkdmlBufferBinding> bindings) {
        bindInputs<std::initializer_list<VkdmlBufferBinding>>(bindings);
    }

    /** vkdmlBindOutputs(): all of them, in the same manner. */
    template <typename Bindings> void bindOutputs(const Bindings &bindings) {
        check(vkdmlBindOutputs(get(), static_cast<std::uint32_t>(std::size(bindings)), std::data(bindings)));
    }
    /** The same of a list in braces. */
    void bindOutputs(std::initializer_list<VkdmlBufferBinding> bindings) {
        bindOutputs<std::initializer_list<VkdmlBufferBinding>>(bindings);
    }

    /** vkdmlBindTemporaryResource(). */
    void bindTemporaryResource(const VkdmlBufferBinding &binding) {
        check(vkdmlBindTemporaryResource(get(), &binding));
    }

    /** vkdmlBindPersistentResource(). */
    void bindPersistentResource(const VkdmlBufferBinding &binding) {
        check(vkdmlBindPersistentResource(get(), &binding));
    }
};

/** A compiled operator or an operator initializer: VkdmlDispatchable. */
class Dispatchable : public Handle<VkdmlDispatchable, vkdmlDestroyDispatchable> {
  public:
    using Handle::Handle;

    /** vkdmlGetBindingProperties(). */
    [[nodiscard]] VkdmlBindingProperties bindingProperties() const {
        VkdmlBindingProperties properties{};
        check(vkdmlGetBindingProperties(get(), &properties));
        return properties;
    }

    /** vkdmlGetGeneralPipelineInfo(). */
    [[nodiscard]] VkdmlGeneralPipelineInfo generalPipelineInfo() const {
        VkdmlGeneralPipelineInfo info{};
        check(vkdmlGetGeneralPipelineInfo(get(), &info));
        return info;
    }
};

/** A validated descriptor: VkdmlOperator. */
class Operator : public Handle<VkdmlOperator, vkdmlDestroyOperator> {
  public:
    using Handle::Handle;

    /** vkdmlCompileOperator(). The result does not need the operator. */
    [[nodiscard]] Dispatchable compile(DML_EXECUTION_FLAGS executionFlags = DML_EXECUTION_FLAG_NONE,
                                       VkdmlCompileFlags flags = 0) const {
        const VkdmlCompileInfo info = compileInfo(executionFlags, flags);
        Dispatchable compiled;
        check(vkdmlCompileOperator(get(), &info, compiled.put()));
        return compiled;
    }

    /** vkdmlExplainOperator(): what compile() would do with the same flags. */
    [[nodiscard]] Explanation explain(DML_EXECUTION_FLAGS executionFlags = DML_EXECUTION_FLAG_NONE,
                                      VkdmlCompileFlags flags = 0) const {
        const VkdmlCompileInfo info = compileInfo(executionFlags, flags);
        Explanation explanation;
        check(vkdmlExplainOperator(get(), &info, explanation.put()));
        return explanation;
    }

  private:
    static VkdmlCompileInfo compileInfo(DML_EXECUTION_FLAGS executionFlags, VkdmlCompileFlags flags) {
        VkdmlCompileInfo info{};
        info.structSize = sizeof info;
        info.executionFlags = executionFlags;
        info.flags = flags;
        return info;
    }
};

/** A Vulkan device as vkdml uses it: VkdmlDevice. Outlives what is made from it. */
class Device : public Handle<VkdmlDevice, vkdmlDestroyDevice> {
  public:
    using Handle::Handle;

    /** vkdmlOpenDevice(): a device of its own. structSize and headerVersion are filled in here. */
    [[nodiscard]] static Device open(VkdmlDeviceOpenInfo info = {}) {
        info.structSize = sizeof info;
        info.headerVersion = VKDML_HEADER_VERSION;
        Device device;
        check(vkdmlOpenDevice(&info, device.put()));
        return device;
    }

    /** vkdmlCreateDevice(): the caller's. structSize and headerVersion are filled in here. */
    [[nodiscard]] static Device create(VkdmlDeviceCreateInfo info) {
        info.structSize = sizeof info;
        info.headerVersion = VKDML_HEADER_VERSION;
        Device device;
        check(vkdmlCreateDevice(&info, device.put()));
        return device;
    }

    /** vkdmlGetVulkanHandles(). */
    [[nodiscard]] VkdmlVulkanHandles vulkanHandles() const {
        VkdmlVulkanHandles handles{};
        check(vkdmlGetVulkanHandles(get(), &handles));
        return handles;
    }

    /** vkdmlCreateOperator(). */
    [[nodiscard]] Operator createOperator(const DML_OPERATOR_DESC &desc) const {
        Operator op;
        check(vkdmlCreateOperator(get(), &desc, op.put()));
        return op;
    }

    /** vkdmlCreateOperatorInitializer(): for compiled operators, lent by get(), which outlive it. */
    template <typename Operators>
    [[nodiscard]] Dispatchable createOperatorInitializer(const Operators &compiled) const {
        Dispatchable initializer;
        check(vkdmlCreateOperatorInitializer(get(), static_cast<std::uint32_t>(std::size(compiled)),
                                             std::data(compiled), initializer.put()));
        return initializer;
    }
    /** The same of a list in braces. */
    [[nodiscard]] Dispatchable createOperatorInitializer(std::initializer_list<VkdmlDispatchable> compiled) const {
        return createOperatorInitializer<std::initializer_list<VkdmlDispatchable>>(compiled);
    }

    /** vkdmlCreateBindingTable(): the dispatchable outlives the table's use. VK_NULL_HANDLE: a pool of the table's own.
     */
    [[nodiscard]] BindingTable createBindingTable(const Dispatchable &dispatchable,
                                                  VkDescriptorPool descriptorPool = VK_NULL_HANDLE) const {
        VkdmlBindingTableCreateInfo info{};
        info.structSize = sizeof info;
        info.dispatchable = dispatchable.get();
        info.descriptorPool = descriptorPool;
        BindingTable table;
        check(vkdmlCreateBindingTable(get(), &info, table.put()));
        return table;
    }

    /** vkdmlRecordDispatch(). */
    void recordDispatch(VkCommandBuffer commandBuffer, const Dispatchable &dispatchable, BindingTable &table) const {
        check(vkdmlRecordDispatch(get(), commandBuffer, dispatchable.get(), table.get()));
    }
};

#endif /* VKDML_HPP_NO_EXCEPTIONS */

} // namespace vkdml

#ifndef VKDML_HPP_NO_EXCEPTIONS
#include "vkdml/session.hpp" // buffers and uploads, for small programs
#endif

#endif /* VKDML_HPP */
