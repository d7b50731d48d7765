/* Stands in for DirectML.h, which exists for Windows only, where the page's DirectML program is compiled: the structs are
 * those of dml_types.h, the interfaces what DirectML's documentation says of them. Nothing is ever linked with it. */
#ifndef DIRECTML_INTERFACES_H
#define DIRECTML_INTERFACES_H

#include <directx/d3d12.h>

#include <vkdml/dml_types.h>

struct IDMLDevice;

struct IDMLObject : IUnknown {
    virtual HRESULT GetPrivateData(REFGUID guid, UINT *size, void *data) = 0;
    virtual HRESULT SetPrivateData(REFGUID guid, UINT size, const void *data) = 0;
    virtual HRESULT SetPrivateDataInterface(REFGUID guid, IUnknown *data) = 0;
    virtual HRESULT SetName(PCWSTR name) = 0;
};
struct IDMLDeviceChild : IDMLObject {
    virtual HRESULT GetDevice(REFIID riid, void **device) = 0;
};
struct IDMLPageable : IDMLDeviceChild {};
struct IDMLOperator : IDMLDeviceChild {};
struct IDMLDispatchable : IDMLPageable {
    virtual DML_BINDING_PROPERTIES GetBindingProperties() = 0;
};
struct IDMLCompiledOperator : IDMLDispatchable {};
struct IDMLOperatorInitializer : IDMLDispatchable {
    virtual HRESULT Reset(UINT count, IDMLCompiledOperator *const *operators) = 0;
};
struct IDMLBindingTable : IDMLDeviceChild {
    virtual void BindInputs(UINT count, const DML_BINDING_DESC *bindings) = 0;
    virtual void BindOutputs(UINT count, const DML_BINDING_DESC *bindings) = 0;
    virtual void BindTemporaryResource(const DML_BINDING_DESC *binding) = 0;
    virtual void BindPersistentResource(const DML_BINDING_DESC *binding) = 0;
    virtual HRESULT Reset(const DML_BINDING_TABLE_DESC *desc) = 0;
};
struct IDMLCommandRecorder : IDMLDeviceChild {
    virtual void RecordDispatch(ID3D12CommandList *list, IDMLDispatchable *dispatchable, IDMLBindingTable *table) = 0;
};
struct IDMLDevice : IDMLObject {
    virtual HRESULT CheckFeatureSupport(DML_FEATURE feature, UINT query_size, const void *query, UINT support_size,
                                        void *support) = 0;
    virtual HRESULT CreateOperator(const DML_OPERATOR_DESC *desc, REFIID riid, void **op) = 0;
    virtual HRESULT CompileOperator(IDMLOperator *op, DML_EXECUTION_FLAGS flags, REFIID riid, void **compiled) = 0;
    virtual HRESULT CreateOperatorInitializer(UINT count, IDMLCompiledOperator *const *operators, REFIID riid,
                                              void **initializer) = 0;
    virtual HRESULT CreateCommandRecorder(REFIID riid, void **recorder) = 0;
    virtual HRESULT CreateBindingTable(const DML_BINDING_TABLE_DESC *desc, REFIID riid, void **table) = 0;
    virtual HRESULT Evict(UINT count, IDMLPageable *const *objects) = 0;
    virtual HRESULT MakeResident(UINT count, IDMLPageable *const *objects) = 0;
    virtual HRESULT GetDeviceRemovedReason() = 0;
    virtual HRESULT GetParentDevice(REFIID riid, void **device) = 0;
};

HRESULT DMLCreateDevice(ID3D12Device *device, DML_CREATE_DEVICE_FLAGS flags, REFIID riid, void **dml);
HRESULT DMLCreateDevice1(ID3D12Device *device, DML_CREATE_DEVICE_FLAGS flags, DML_FEATURE_LEVEL minimum, REFIID riid,
                         void **dml);

#endif
