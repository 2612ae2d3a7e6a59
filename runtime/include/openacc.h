/* Made by the test `headers` of the definitions in Rust. This writes it anew:
   UPDATE_HEADERS=1 cargo test -p terrace-runtime --test headers */
/* The functions of OpenACC's C interface for programs from `terrace cc`.

   Where regions stay on the host, the host is a device that shares the program's memory:
   everything is present, at its own address. */
#ifndef OPENACC_H
#define OPENACC_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum acc_device_t {
  acc_device_none = 0,
  acc_device_default = 1,
  acc_device_host = 2,
  acc_device_current = 3,
  acc_device_not_host = 4,
  acc_device_nvidia = 5,
  acc_device_radeon = 6
} acc_device_t;

typedef enum acc_device_property_t {
  acc_property_memory = 1,
  acc_property_free_memory = 2,
  acc_property_shared_memory_support = 3,
  acc_property_name = 4,
  acc_property_vendor = 5,
  acc_property_driver = 6
} acc_device_property_t;

/* Values for `async`: wait until it is done; the default queue of the thread, as without
   a value; the default queue that the program began with. */
enum {
  acc_async_sync = -1,
  acc_async_noval = -2,
  acc_async_default = -3
};

typedef void h_void;
typedef void d_void;

/* Devices. Type and number are chosen for the calling thread. */
int acc_get_num_devices(acc_device_t type);
void acc_set_device_type(acc_device_t type);
acc_device_t acc_get_device_type(void);
void acc_set_device_num(int number, acc_device_t type);
int acc_get_device_num(acc_device_t type);
size_t acc_get_property(int number, acc_device_t type, acc_device_property_t property);
const char *acc_get_property_string(int number, acc_device_t type,
                                    acc_device_property_t property);
void acc_init(acc_device_t type);
void acc_init_device(int number, acc_device_t type);
void acc_shutdown(acc_device_t type);
void acc_shutdown_device(int number, acc_device_t type);
int acc_on_device(acc_device_t type);

/* Queues. */
int acc_async_test(int queue);
int acc_async_test_all(void);
void acc_wait(int queue);
void acc_wait_async(int queue, int waiting_queue);
int acc_wait_any(int count, const int *queues);
void acc_wait_all(void);
int acc_async_test_device(int queue, int device);
int acc_async_test_all_device(int device);
void acc_wait_device(int queue, int device);
void acc_wait_device_async(int queue, int waiting_queue, int device);
int acc_wait_any_device(int count, const int *queues, int device);
void acc_wait_all_device(int device);
void acc_wait_all_device_async(int waiting_queue, int device);
void acc_wait_all_async(int waiting_queue);
void acc_async_wait(int queue);
void acc_async_wait_all(void);
int acc_get_default_async(void);
void acc_set_default_async(int queue);

/* CUDA's handles: the address of a CUdevice, a CUcontext, a CUstream; null where there is no GPU.
   Setting a stream gives 1 where there is one. */
void *acc_get_current_cuda_device(void);
void *acc_get_current_cuda_context(void);
void *acc_get_cuda_stream(int queue);
int acc_set_cuda_stream(int queue, void *stream);

/* Device memory of one's own. */
void *acc_malloc(size_t bytes);
void acc_free(void *device);
void acc_memcpy_to_device(void *device, void *host, size_t bytes);
void acc_memcpy_to_device_async(void *device, void *host, size_t bytes, int queue);
void acc_memcpy_from_device(void *host, void *device, size_t bytes);
void acc_memcpy_from_device_async(void *host, void *device, size_t bytes, int queue);
void acc_memcpy_device(void *to, void *from, size_t bytes);
void acc_memcpy_device_async(void *to, void *from, size_t bytes, int queue);
void acc_memcpy_d2d(void *to, void *from, size_t bytes, int to_device, int from_device);
void acc_memcpy_d2d_async(void *to, void *from, size_t bytes, int to_device, int from_device,
                          int queue, int from_queue);
void acc_map_data(void *host, void *device, size_t bytes);
void acc_unmap_data(void *host);

/* Data as with enter data: these give the device's address. */
void *acc_copyin(void *host, size_t bytes);
void *acc_create(void *host, size_t bytes);
void *acc_present_or_copyin(void *host, size_t bytes);
void *acc_present_or_create(void *host, size_t bytes);
void *acc_pcopyin(void *host, size_t bytes);
void *acc_pcreate(void *host, size_t bytes);
void *acc_copyin_async(void *host, size_t bytes, int queue);
void *acc_create_async(void *host, size_t bytes, int queue);

/* As with exit data. */
void acc_copyout(void *host, size_t bytes);
void acc_copyout_async(void *host, size_t bytes, int queue);
void acc_copyout_finalize(void *host, size_t bytes);
void acc_copyout_finalize_async(void *host, size_t bytes, int queue);
void acc_delete(void *host, size_t bytes);
void acc_delete_async(void *host, size_t bytes, int queue);
void acc_delete_finalize(void *host, size_t bytes);
void acc_delete_finalize_async(void *host, size_t bytes, int queue);

/* As with update. */
void acc_update_device(void *host, size_t bytes);
void acc_update_device_async(void *host, size_t bytes, int queue);
void acc_update_self(void *host, size_t bytes);
void acc_update_self_async(void *host, size_t bytes, int queue);
void acc_update_host(void *host, size_t bytes);
void acc_update_host_async(void *host, size_t bytes, int queue);

/* Pointers in memory that is present. */
void acc_attach(void **pointer);
void acc_attach_async(void **pointer, int queue);
void acc_detach(void **pointer);
void acc_detach_async(void **pointer, int queue);
void acc_detach_finalize(void **pointer);
void acc_detach_finalize_async(void **pointer, int queue);

/* What is where. */
int acc_is_present(void *host, size_t bytes);
void *acc_deviceptr(void *host);
void *acc_hostptr(void *device);

#ifdef __cplusplus
}
#endif
#endif
