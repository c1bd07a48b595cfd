import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

import { RegistryImage } from '../../../packages/operators/src/migration/agent/registry-image.ts';
import {
  type ArchiveFile,
  measured,
} from '../../../packages/operators/src/migration/checkpoints/verified.ts';
import {
  type DockerRegistry,
  startDockerRegistry,
  whyNoDockerRegistry,
} from '../../servers/docker-registry.ts';

const why = whyNoDockerRegistry();
/** The password is `secret`. */
const HTPASSWD = 'agent:$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a\n';
const TAG = 'f0e1d2c3-1';
const ACCEPT = { accept: 'application/vnd.oci.image.manifest.v1+json' };

type Manifest = {
  readonly layers: readonly { readonly digest: string }[];
  readonly annotations: Readonly<Record<string, string>>;
};

describe.skipIf(why !== undefined)(
  `the image of a checkpoint in docker-registry${why === undefined ? '' : ` [${why}]`}`,
  () => {
    const content = randomBytes(300_000);
    let folder: string;
    let open: DockerRegistry;
    let closed: DockerRegistry;
    let archive: ArchiveFile;
    const auth = (): string => join(folder, 'config.json');

    beforeAll(async () => {
      folder = mkdtempSync(join(tmpdir(), 'kubewright-registry-'));
      open = await startDockerRegistry();
      closed = await startDockerRegistry({ htpasswd: HTPASSWD, deletes: false });
      const read = async function* () {
        yield content.subarray(0, 100_000);
        yield content.subarray(100_000);
      };
      archive = { ...(await measured(read())), read };
      const credentials = Buffer.from('agent:secret').toString('base64');
      writeFileSync(auth(), JSON.stringify({ auths: { [closed.host]: { auth: credentials } } }));
    });
    afterAll(async () => {
      await open.stop();
      await closed.stop();
      rmSync(folder, { recursive: true });
    });

    const get = (path: string): Promise<Response> =>
      fetch(`http://${open.host}/v2/ms2m/consumer-0/${path}`, { headers: ACCEPT });

    test('is pushed, and again, and has the archive; it is removed, and again', async () => {
      const name = `${open.host}/ms2m/consumer-0:${TAG}`;
      const image = new RegistryImage(name);
      const pushed = await image.push(archive);
      expect(pushed).toMatch(/^127\.0\.0\.1:\d+\/ms2m\/consumer-0:f0e1d2c3-1@sha256:[0-9a-f]{64}$/);
      expect(await image.push(archive)).toBe(pushed);
      const { layers, annotations } = (await (
        await get(`manifests/${pushed.split('@')[1]}`)
      ).json()) as Manifest;
      expect(annotations['org.criu.checkpoint.container.name']).toBe(name);
      const layer = await get(`blobs/${layers[0]?.digest}`);
      expect(Buffer.from(await layer.arrayBuffer()).equals(content)).toBe(true);
      await image.remove();
      expect((await get(`manifests/${TAG}`)).status).toBe(404);
      await image.remove();
    });

    test('MIG-68 is rejected without credentials, at once, and accepted with them', async () => {
      const name = `${closed.host}/ms2m/consumer-0:${TAG}`;
      await expect(new RegistryImage(name).push(archive)).rejects.toMatchObject({
        reason: 'RegistryDenied',
        retryable: false,
      });
      const image = new RegistryImage(name, { authFile: auth() });
      expect(await image.push(archive)).toContain('@sha256:');
      await expect(image.remove()).rejects.toThrow(`${closed.host} does not allow images to be deleted`);
    });
  },
);
