"""A Kubernetes API for the tests of a project in Python.

    with control_plane() as kubeconfig:
        api = kr8s.api(kubeconfig=kubeconfig)

KUBEBUILDER_ASSETS names the folder that `kubewright envtest` prints. Without arguments it serves until its input ends.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile


@contextlib.contextmanager
def control_plane():
    """Starts the API, and gives the path of a kubeconfig of a cluster admin."""
    with tempfile.TemporaryDirectory() as folder:
        tokens = os.path.join(folder, "tokens.csv")
        with open(tokens, "w") as file:
            file.write('secret,admin,1,"system:masters"\n')
        program = os.path.join(os.environ["KUBEBUILDER_ASSETS"], "kube-apiserver")
        flags = ["--secure-port=0", "--authorization-mode=RBAC", "--disable-admission-plugins=ServiceAccount"]
        folders = [f"--cert-dir={folder}", f"--token-auth-file={tokens}"]
        server = subprocess.Popen([program, *flags, *folders], stderr=subprocess.PIPE, text=True)
        try:
            yield write_kubeconfig(folder, url_of(server))
        finally:
            server.terminate()
            server.wait()
            server.stderr.close()


def url_of(server):
    """Waits until it serves: it prints where."""
    printed = ""
    for line in server.stderr:
        printed += line
        if serving := re.search(r"serving on (\S+)", line):
            return serving[1]
    raise RuntimeError(f"kube-apiserver did not start: {printed}")


def write_kubeconfig(folder, url):
    cluster = {"server": url, "certificate-authority": os.path.join(folder, "apiserver.crt")}
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "admin", "user": {"token": "secret"}}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin"}}],
        "current-context": "test",
    }
    path = os.path.join(folder, "kubeconfig")
    with open(path, "w") as file:
        json.dump(config, file)
    return path


if __name__ == "__main__":
    with control_plane() as kubeconfig:
        print(kubeconfig, flush=True)
        sys.stdin.read()
