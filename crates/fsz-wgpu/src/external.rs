//! Buffers of a Vulkan device in memory that CUDA has too.

use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, OwnedFd};

use ash::vk;
use fsz::cuda::DeviceMemory;
use wgpu::hal::{api, vulkan};

use crate::error::{Error, Result};
use crate::gpu::Gpu;

/// What another library takes memory by.
const HANDLE: vk::ExternalMemoryHandleTypeFlags = vk::ExternalMemoryHandleTypeFlags::OPAQUE_FD;

/// What a shared buffer is for, to Vulkan and to wgpu.
const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw(),
);
const WGPU_USAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// What tells a GPU from all others, where its memory can be shared.
pub(crate) fn uuid(gpu: &Gpu) -> Option<[u8; 16]> {
    if !gpu.device.features().contains(wgpu::Features::VULKAN_EXTERNAL_MEMORY_FD) {
        return None;
    }
    // SAFETY: the device is asked, and nothing else is done with it.
    let device = unsafe { gpu.device.as_hal::<api::Vulkan>() }?;
    let instance = device.shared_instance();
    let (physical, raw) = (device.raw_physical_device(), instance.raw_instance());
    // SAFETY: the physical device is one of the instance.
    let version = unsafe { raw.get_physical_device_properties(physical) }.api_version;
    // The calls are those of Vulkan 1.1.
    if version.min(instance.instance_api_version()) < vk::API_VERSION_1_1 {
        return None;
    }
    let info = vk::PhysicalDeviceExternalBufferInfo::default().usage(USAGE).handle_type(HANDLE);
    let mut buffers = vk::ExternalBufferProperties::default();
    let mut id = vk::PhysicalDeviceIDProperties::default();
    let mut properties = vk::PhysicalDeviceProperties2::default().push_next(&mut id);
    // SAFETY: both have calls of Vulkan 1.1, as was asked above; the physical device is one of the instance.
    unsafe {
        raw.get_physical_device_external_buffer_properties(physical, &info, &mut buffers);
        raw.get_physical_device_properties2(physical, &mut properties);
    }
    let ways = buffers.external_memory_properties.external_memory_features;
    let exports = ways.contains(vk::ExternalMemoryFeatureFlags::EXPORTABLE)
        && !ways.contains(vk::ExternalMemoryFeatureFlags::DEDICATED_ONLY);
    exports.then_some(id.device_uuid)
}

/// A storage buffer of `bytes` bytes, some, in memory that CUDA device number `device` has too. It holds any bytes. The GPU has a
/// [`uuid`], which is that of the CUDA device.
pub(crate) fn shared(
    gpu: &Gpu,
    device: usize,
    bytes: usize,
) -> Result<(DeviceMemory, wgpu::Buffer)> {
    let size = bytes as u64;
    let (made, memory) = {
        // SAFETY: a buffer is made of the device, and nothing else is done with it.
        let hal = unsafe { gpu.device.as_hal::<api::Vulkan>() };
        let hal = hal.ok_or_else(|| Error::device("it is not used through Vulkan"))?;
        let made = Made::new(&hal, size)?;
        let file = made.exported(&hal)?;
        // SAFETY: the file descriptor was exported above, of as many bytes, not dedicated, on the device that the caller
        // knows to be the same. Who writes it by CUDA is given both sides of it, and waits.
        let memory = unsafe { DeviceMemory::import_fd(device, file, made.allocated, bytes)? };
        (made.kept(size), memory)
    };
    let descriptor = wgpu::BufferDescriptor {
        label: Some("fsz shared slice"),
        size,
        usage: WGPU_USAGE,
        mapped_at_creation: false,
    };
    // SAFETY: it was made of this device, as described. What it holds is written by CUDA before a shader reads it.
    let buffer = gpu.checked(|device| unsafe {
        device.create_buffer_from_hal::<api::Vulkan>(made, &descriptor)
    })?;
    Ok((memory, buffer))
}

/// A buffer and its memory, destroyed unless they are kept.
struct Made<'a> {
    device: &'a ash::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    /// Bytes of the memory.
    allocated: u64,
}

impl<'a> Made<'a> {
    fn new(device: &'a vulkan::Device, size: u64) -> Result<Made<'a>> {
        let raw = device.raw_device();
        let mut external = vk::ExternalMemoryBufferCreateInfo::default().handle_types(HANDLE);
        let info = vk::BufferCreateInfo::default().size(size).usage(USAGE).push_next(&mut external);
        // SAFETY: the device shares memory, and the description is whole.
        let buffer = unsafe { raw.create_buffer(&info, None) }.map_err(Error::device)?;
        let mut made = Made { device: raw, buffer, memory: vk::DeviceMemory::null(), allocated: 0 };
        // SAFETY: the buffer was made above.
        let needs = unsafe { raw.get_buffer_memory_requirements(buffer) };
        let mut export = vk::ExportMemoryAllocateInfo::default().handle_types(HANDLE);
        let info = vk::MemoryAllocateInfo::default()
            .allocation_size(needs.size)
            .memory_type_index(own_memory(device, needs.memory_type_bits)?)
            .push_next(&mut export);
        // SAFETY: the description is whole, and of a type of memory that the device has.
        made.memory = unsafe { raw.allocate_memory(&info, None) }.map_err(Error::device)?;
        made.allocated = needs.size;
        // SAFETY: both were made above, the memory as the buffer needs it.
        unsafe { raw.bind_buffer_memory(buffer, made.memory, 0) }.map_err(Error::device)?;
        Ok(made)
    }

    /// What another library takes the memory by.
    fn exported(&self, device: &vulkan::Device) -> Result<OwnedFd> {
        let instance = device.shared_instance().raw_instance();
        let calls = ash::khr::external_memory_fd::Device::new(instance, self.device);
        let info = vk::MemoryGetFdInfoKHR::default().memory(self.memory).handle_type(HANDLE);
        // SAFETY: the memory was made to be exported so, by a device that was asked for with the extension.
        let file = unsafe { calls.get_memory_fd(&info) }.map_err(Error::device)?;
        // SAFETY: the driver made it for us alone.
        Ok(unsafe { OwnedFd::from_raw_fd(file) })
    }

    /// The buffer of `size` bytes as wgpu's, which destroys it with its memory.
    fn kept(self, size: u64) -> vulkan::Buffer {
        let made = ManuallyDrop::new(self);
        // SAFETY: both are of the device, bound to each other from the first byte on, and nobody else destroys them.
        unsafe { vulkan::Buffer::from_raw_managed(made.buffer, made.memory, 0, size) }
    }
}

impl Drop for Made<'_> {
    fn drop(&mut self) {
        // SAFETY: both were made in `new`, or are null, and nothing uses them.
        unsafe {
            self.device.destroy_buffer(self.buffer, None);
            self.device.free_memory(self.memory, None);
        }
    }
}

/// The first of these types of memory that is the GPU's own: the plainest.
fn own_memory(device: &vulkan::Device, types: u32) -> Result<u32> {
    let instance = device.shared_instance().raw_instance();
    // SAFETY: the physical device is one of the instance.
    let has =
        unsafe { instance.get_physical_device_memory_properties(device.raw_physical_device()) };
    let all = has.memory_types_as_slice().iter().zip(0..u32::BITS);
    let own = |(kind, at): &(&vk::MemoryType, u32)| {
        types >> at & 1 == 1 && kind.property_flags.contains(vk::MemoryPropertyFlags::DEVICE_LOCAL)
    };
    let found = all.into_iter().find(own).map(|(_, at)| at);
    found.ok_or_else(|| Error::device("it has no memory for shared buffers"))
}
