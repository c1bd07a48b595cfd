import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A Kubernetes API for the tests of a project in Java: start it once, and read its kubeconfig, which is of a cluster
 * admin. KUBEBUILDER_ASSETS names the folder that {@code kubewright envtest} prints. By itself it serves until its input
 * ends.
 */
public final class Envtest implements AutoCloseable {
  private static final Pattern SERVING = Pattern.compile("serving on (\\S+)");

  private final Process server;
  private final Path folder;

  private Envtest(Process server, Path folder) {
    this.server = server;
    this.folder = folder;
  }

  public static Envtest start() throws IOException {
    Path folder = Files.createTempDirectory("envtest");
    Path tokens = folder.resolve("tokens.csv");
    Files.writeString(tokens, "secret,admin,1,\"system:masters\"\n");
    Process server =
        new ProcessBuilder(
                Path.of(System.getenv("KUBEBUILDER_ASSETS"), "kube-apiserver").toString(),
                "--secure-port=0",
                "--authorization-mode=RBAC",
                "--disable-admission-plugins=ServiceAccount",
                "--cert-dir=" + folder,
                "--token-auth-file=" + tokens)
            .start();
    Envtest envtest = new Envtest(server, folder);
    try {
      Files.writeString(envtest.kubeconfig(), kubeconfigOf(urlOf(server), folder));
      return envtest;
    } catch (IOException | RuntimeException error) {
      envtest.close();
      throw error;
    }
  }

  /** Waits until it serves: it prints where. */
  private static String urlOf(Process server) throws IOException {
    BufferedReader reader = server.errorReader();
    StringBuilder printed = new StringBuilder();
    for (String line = reader.readLine(); line != null; line = reader.readLine()) {
      Matcher serving = SERVING.matcher(line);
      if (serving.find()) return serving.group(1);
      printed.append(line).append('\n');
    }
    throw new IllegalStateException("kube-apiserver did not start: " + printed);
  }

  private static String kubeconfigOf(String url, Path folder) {
    return """
        apiVersion: v1
        kind: Config
        clusters:
        - name: test
          cluster: {server: "%s", certificate-authority: "%s"}
        users:
        - name: admin
          user: {token: secret}
        contexts:
        - name: test
          context: {cluster: test, user: admin}
        current-context: test
        """
        .formatted(url, folder.resolve("apiserver.crt"));
  }

  /** The path of the kubeconfig. */
  public Path kubeconfig() {
    return folder.resolve("kubeconfig");
  }

  @Override
  public void close() {
    server.destroy();
    server.onExit().join();
    try (var files = Files.walk(folder)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(file -> file.delete());
    } catch (IOException error) {
      throw new UncheckedIOException(error);
    }
  }

  public static void main(String[] args) throws IOException {
    try (Envtest envtest = start()) {
      System.out.println(envtest.kubeconfig());
      System.in.readAllBytes();
    }
  }
}
