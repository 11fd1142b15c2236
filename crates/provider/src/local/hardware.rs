//! What this host is made of, which is what each of its machines is made of.

use juju_core::Arch;

use crate::{Hardware, ProviderError};

pub(super) fn of_this_host() -> Result<Hardware, ProviderError> {
    let arch = Arch::of_this_build()
        .ok_or_else(|| ProviderError::refused("this host's architecture is not one that Juju knows"))?;
    let cores = std::thread::available_parallelism().ok().map(|n| n.get() as u64);
    let mem_mib = std::fs::read_to_string("/proc/meminfo").ok().as_deref().and_then(total_mib);
    Ok(Hardware { arch, cores, mem_mib, root_disk_mib: None, availability_zone: None })
}

fn total_mib(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? / 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read() {
        assert_eq!(total_mib("MemTotal:        8123456 kB\nMemFree: 1 kB\n"), Some(7933));
        assert_eq!(total_mib("MemFree: 1 kB\n"), None);
        let host = of_this_host().unwrap();
        assert!(host.cores > Some(0) && host.mem_mib > Some(0));
    }
}
