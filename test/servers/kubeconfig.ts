import { writeFileSync } from 'node:fs';

/** Writes a kubeconfig for one server and one bearer token. JSON is YAML. */
export function writeKubeconfig(path: string, url: string, caCert: string, token: string): void {
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [
      {
        name: 'test',
        cluster: { server: url, 'certificate-authority-data': Buffer.from(caCert).toString('base64') },
      },
    ],
    users: [{ name: 'admin', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'admin' } }],
    'current-context': 'test',
  };
  writeFileSync(path, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600 });
}
