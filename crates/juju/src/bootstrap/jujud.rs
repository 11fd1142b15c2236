//! Where the agents' program is.

use std::path::{Path, PathBuf};

use crate::{
    cli::{Env, env::is_executable},
    error::{Error, Result},
};

/// What every machine of a controller gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binaries {
    pub jujud: PathBuf,
    /// The hook tools' program; without it `jujud` is that too.
    pub jujuc: Option<PathBuf>,
}

impl Binaries {
    /// `$JUJU_JUJUD`, else `jujud` beside this program, else the one in `PATH`.
    pub fn find(env: &Env) -> Result<Self> {
        let jujud = match &env.jujud {
            Some(path) if is_executable(path) => path.clone(),
            Some(path) => {
                return Err(Error::failed(format!("JUJU_JUJUD is set to {}, which is not a program", path.display())));
            }
            None => beside(env)
                .or_else(|| env.find_program("jujud"))
                .ok_or_else(|| Error::failed(
                    "no jujud found: put it beside juju or into a directory of PATH, or name it in JUJU_JUJUD",
                ))?,
        };
        let jujud = jujud
            .canonicalize()
            .map_err(|e| Error::failed(format!("cannot find {}: {e}", jujud.display())))?;
        let jujuc = Some(sibling(&jujud, "jujuc")).filter(|it| is_executable(it));
        Ok(Self { jujud, jujuc })
    }

    pub fn all(&self) -> Vec<PathBuf> {
        std::iter::once(self.jujud.clone()).chain(self.jujuc.clone()).collect()
    }
}

/// Beside this program, or beside what it is a link to.
fn beside(env: &Env) -> Option<PathBuf> {
    let exe = env.exe.as_ref()?;
    let real = exe.canonicalize().ok();
    std::iter::once(exe.clone()).chain(real).map(|it| sibling(&it, "jujud")).find(|it| is_executable(it))
}

fn sibling(path: &Path, name: &str) -> PathBuf {
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt};

    use super::*;

    fn program(path: &Path) -> PathBuf {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        path.canonicalize().unwrap()
    }

    #[test]
    fn the_nearest_jujud_is_taken() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        let mut env = Env { exe: Some(dir.join("bin/juju")), path: vec![dir.join("path")], ..Env::default() };
        let find = |env: &Env| Binaries::find(env).map(|it| it.jujud).map_err(|e| e.to_string());
        assert!(find(&env).unwrap_err().starts_with("no jujud found"));

        let in_path = program(&dir.join("path/jujud"));
        assert_eq!(find(&env), Ok(in_path));
        let next_to_us = program(&dir.join("bin/jujud"));
        assert_eq!(find(&env), Ok(next_to_us));
        let named = program(&dir.join("named/jujud"));
        env.jujud = Some(named.clone());
        assert_eq!(find(&env), Ok(named.clone()));
        assert_eq!(Binaries::find(&env).unwrap().jujuc, None);
        let jujuc = program(&dir.join("named/jujuc"));
        assert_eq!(Binaries::find(&env).unwrap().all(), [named, jujuc]);

        env.jujud = Some(dir.join("nothing"));
        assert!(find(&env).unwrap_err().contains("is not a program"));
    }

    #[test]
    fn a_link_to_juju_leads_to_its_jujud() {
        let dir = tempfile::tempdir().unwrap();
        let jujud = program(&dir.path().join("real/jujud"));
        program(&dir.path().join("real/juju"));
        let link = dir.path().join("juju");
        std::os::unix::fs::symlink(dir.path().join("real/juju"), &link).unwrap();
        let env = Env { exe: Some(link), ..Env::default() };
        assert_eq!(Binaries::find(&env).unwrap().jujud, jujud);
    }
}
