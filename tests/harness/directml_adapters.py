"""Prints the number of DirectML's adapters, by DXCore's binary interface: a client of the libraries that the process has loaded
by now, as an extension module for DirectML is."""
import ctypes
import uuid


def interface_id(text):
    return uuid.UUID(text).bytes_le


def call(interface, method, result, *arguments):
    """Calls a method by its place in the table of an interface."""
    table = ctypes.cast(interface, ctypes.POINTER(ctypes.POINTER(ctypes.c_void_p))).contents
    return ctypes.CFUNCTYPE(result, ctypes.c_void_p)(table[method])(interface, *arguments)


def adapter_count():
    create_factory = ctypes.CDLL(None).DXCoreCreateAdapterFactory
    factory, adapters = ctypes.c_void_p(), ctypes.c_void_p()
    result = create_factory(interface_id("78ee5945-c36e-4b13-a669-005dd11c0f06"), ctypes.byref(factory))
    assert result == 0, result
    compute = interface_id("248e2800-a793-4724-abaa-23a6de1be090")
    result = call(factory, 3, ctypes.c_int32, ctypes.c_uint32(1), compute,
                  interface_id("526c7776-40e9-459b-b711-f32ad76dfc28"), ctypes.byref(adapters))
    assert result == 0, result
    count = call(adapters, 4, ctypes.c_uint32)
    for interface in (adapters, factory):
        call(interface, 2, ctypes.c_uint32)
    return count


if __name__ == "__main__":
    print(adapter_count(), "adapters")
