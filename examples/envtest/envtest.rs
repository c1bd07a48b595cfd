//! A Kubernetes API for the tests of a project in Rust: start it, and read its kubeconfig, which is of a cluster admin.
//! `KUBEBUILDER_ASSETS` names the folder that `kubewright envtest` prints. By itself it serves until its input ends.

use std::io::{self, BufRead, BufReader, Error, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::{env, fs, process};

pub struct Envtest {
    server: Child,
    folder: PathBuf,
}

impl Envtest {
    pub fn start() -> io::Result<Self> {
        let folder = env::temp_dir().join(format!("envtest-{}", process::id()));
        fs::create_dir_all(&folder)?;
        let tokens = folder.join("tokens.csv");
        fs::write(&tokens, "secret,admin,1,\"system:masters\"\n")?;
        let assets = env::var("KUBEBUILDER_ASSETS").map_err(Error::other)?;
        let server = Command::new(Path::new(&assets).join("kube-apiserver"))
            .args(["--secure-port=0", "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"])
            .arg(format!("--cert-dir={}", folder.display()))
            .arg(format!("--token-auth-file={}", tokens.display()))
            .stderr(Stdio::piped())
            .spawn()?;
        let mut envtest = Envtest { server, folder };
        let url = envtest.url()?;
        fs::write(envtest.kubeconfig(), envtest.kubeconfig_of(&url))?;
        Ok(envtest)
    }

    /// The path of the kubeconfig.
    pub fn kubeconfig(&self) -> PathBuf {
        self.folder.join("kubeconfig")
    }

    /// Waits until it serves: it prints where.
    fn url(&mut self) -> io::Result<String> {
        let mut printed = String::new();
        let stderr = self.server.stderr.take().expect("it is piped");
        for line in BufReader::new(stderr).lines() {
            let line = line?;
            if let Some((_, url)) = line.split_once("serving on ") {
                return Ok(url.trim().to_string());
            }
            printed += &line;
        }
        Err(Error::other(format!("kube-apiserver did not start: {printed}")))
    }

    fn kubeconfig_of(&self, url: &str) -> String {
        let authority = self.folder.join("apiserver.crt");
        format!(
            r#"apiVersion: v1
kind: Config
clusters:
- name: test
  cluster: {{server: "{url}", certificate-authority: "{}"}}
users:
- name: admin
  user: {{token: secret}}
contexts:
- name: test
  context: {{cluster: test, user: admin}}
current-context: test
"#,
            authority.display()
        )
    }
}

impl Drop for Envtest {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

fn main() -> io::Result<()> {
    let envtest = Envtest::start()?;
    println!("{}", envtest.kubeconfig().display());
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
