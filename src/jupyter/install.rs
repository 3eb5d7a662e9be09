//! Registers the program as a kernel of Jupyter.

use std::path::{Path, PathBuf};

use etcetera::BaseStrategy;
use serde_json::json;

/// The name of the kernel for `jupyter notebook`, `jupyter nbconvert` and the like.
pub const NAME: &str = "mercer";

/// The magic `%%mercer` for notebooks of Python: its file, and its text.
const MAGIC: (&str, &str) = ("mercer_magic.py", include_str!("mercer_magic.py"));

/// Why the kernel was not registered.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    #[error("the folder of Jupyter's data is not known: name it by `--prefix DIR`, or by JUPYTER_DATA_DIR")]
    NoFolder,
    #[error("the file of this program is not known: {0}")]
    NoProgram(std::io::Error),
    #[error("`{path}` cannot be written: {error}")]
    Write { path: PathBuf, error: std::io::Error },
}

/// Writes the description of the kernel and the magic for Python, for the user or below a prefix such as that of a
/// virtual environment. Returns the two files.
pub fn install(prefix: Option<&Path>) -> Result<[PathBuf; 2], InstallError> {
    let data = match prefix {
        Some(prefix) => prefix.join("share").join("jupyter"),
        None => user_data().ok_or(InstallError::NoFolder)?,
    };
    let folder = data.join("kernels").join(NAME);
    let program = std::env::current_exe().map_err(InstallError::NoProgram)?;
    let description = json!({
        "argv": [program, "jupyter", "run", "{connection_file}"],
        "display_name": "Mercer",
        "language": NAME,
        "interrupt_mode": "message",
    });
    let write = || {
        std::fs::create_dir_all(&folder)?;
        let files = ["kernel.json", MAGIC.0].map(|name| folder.join(name));
        std::fs::write(&files[0], format!("{description:#}\n"))?;
        std::fs::write(&files[1], MAGIC.1)?;
        Ok(files)
    };
    write().map_err(|error| InstallError::Write { path: folder.clone(), error })
}

/// The folder of Jupyter's data of this user, as `jupyter --data-dir` shows it.
fn user_data() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("JUPYTER_DATA_DIR").filter(|named| !named.is_empty()) {
        return Some(named.into());
    }
    let strategy = etcetera::choose_base_strategy().ok()?;
    Some(match std::env::consts::OS {
        "macos" => strategy.home_dir().join("Library").join("Jupyter"),
        _ => strategy.data_dir().join("jupyter"),
    })
}
