import { type corev1, formatTime, isJsonObject, parseJson, type Stored } from '@kubewright/kube';
import { packTar, unpackTar } from 'modern-tar';
import { ClusterError } from '../../cluster-error.ts';
import type { CheckpointContent } from '../runtime/container-runtime.ts';

/** What an archive is made of. `now` is in milliseconds. */
export type CheckpointOrder = {
  readonly pod: Stored<corev1.Pod>;
  readonly status: corev1.ContainerStatus;
  readonly content: CheckpointContent;
  readonly now: number;
};

const CONFIG = 'config.dump';
const SPEC = 'spec.dump';
const STATE = 'checkpoint/state';

/**
 * A tar with the files that checkpoints of container runtimes have: `config.dump` (which container, from which image),
 * `spec.dump` (the runtime specification: process, annotations), `checkpoint/` (what the process had in memory).
 * https://github.com/checkpoint-restore/checkpointctl/blob/main/docs/checkpointctl-inspect.adoc
 */
export async function packCheckpoint({ pod, status, content, now }: CheckpointOrder): Promise<Uint8Array> {
  const { name, namespace, uid } = pod.metadata;
  const [scheme = '', id = ''] = (status.containerID ?? '').split('://', 2);
  const config = {
    id,
    name: status.name,
    rootfsImage: content.baseImage,
    rootfsImageRef: status.imageID,
    rootfsImageName: content.baseImage,
    runtime: scheme,
    createdTime: status.state?.running?.startedAt ?? formatTime(new Date(now)),
    checkpointedTime: formatTime(new Date(now)),
    restored: false,
  };
  const spec = {
    ociVersion: '1.2.0',
    process: { args: content.args, env: content.env, cwd: '/' },
    annotations: {
      'io.kubernetes.pod.name': name,
      'io.kubernetes.pod.namespace': namespace,
      'io.kubernetes.pod.uid': uid,
      'io.kubernetes.container.name': status.name,
    },
  };
  const mtime = new Date(now);
  const file = (path: string, body: string | Uint8Array) => ({
    header: { name: path, size: Buffer.byteLength(body), mode: 0o600, mtime },
    body,
  });
  return await packTar([
    file(CONFIG, JSON.stringify(config)),
    file(SPEC, JSON.stringify(spec)),
    { header: { name: 'checkpoint/', size: 0, type: 'directory', mode: 0o700, mtime } },
    file(STATE, content.state),
  ]);
}

/** Reads what a container can be restored from. Rejects where it is no such archive. */
export async function unpackCheckpoint(archive: Uint8Array): Promise<CheckpointContent> {
  const entries = await unpackTar(archive);
  const dataOf = (name: string): Uint8Array => {
    const found = entries.find(({ header }) => header.name === name)?.data;
    if (found === undefined)
      throw new ClusterError('InvalidCheckpoint', `no checkpoint of a container: ${name} is missing`);
    return found;
  };
  const process = objectIn(objectIn(parseJson(dataOf(SPEC)))['process']);
  const image = objectIn(parseJson(dataOf(CONFIG)))['rootfsImageName'];
  if (typeof image !== 'string' || image === '')
    throw new ClusterError('InvalidCheckpoint', 'no checkpoint of a container: no image is named');
  return {
    baseImage: image,
    env: textsIn(process['env']),
    args: textsIn(process['args']),
    state: dataOf(STATE),
  };
}

function objectIn(value: unknown): Readonly<Record<string, unknown>> {
  return isJsonObject(value as never) ? (value as Readonly<Record<string, unknown>>) : {};
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
