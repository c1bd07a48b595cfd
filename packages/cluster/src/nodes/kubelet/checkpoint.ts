import { type ApiResponse, type corev1, errorText, formatTime, type Stored } from '@kubewright/kube';
import { ClusterError } from '../../cluster-error.ts';
import type { CheckpointContent } from '../runtime/container-runtime.ts';
import { jsonResponse, textResponse } from './text-response.ts';
import { packCheckpoint } from './pack-checkpoint.ts';
import type { KubeletRequest } from './kubelet-request.ts';
import {
  type ContainerPlace,
  type KubeletSources,
  podAt,
  runtimeOf,
  specOf,
  statusOf,
} from './kubelet-sources.ts';

const DIRECTORY = '/var/lib/kubelet/checkpoints';
/** How long a container runtime may take where the request does not say. */
const TIMEOUT_MS = 120_000;

/**
 * `POST /checkpoint/NAMESPACE/POD/CONTAINER`: writes the container down while it runs on, and says where.
 * https://kubernetes.io/docs/reference/node/kubelet-checkpoint-api/
 */
export async function checkpoint(
  sources: KubeletSources,
  { path }: KubeletRequest,
  place: ContainerPlace,
): Promise<ApiResponse> {
  const pod = podAt(sources, place);
  if (pod === undefined) return textResponse(404, 'pod does not exist');
  const { namespace, name, container } = place;
  if (specOf(pod, container) === undefined) return textResponse(404, `container ${container} does not exist`);
  const timeout = new URLSearchParams(path.split('?').slice(1).join('?')).getAll('timeout').at(-1);
  if (timeout !== undefined && !/^[+-]?\d+$/.test(timeout))
    return textResponse(404, 'cannot parse value of timeout parameter');
  const seconds = Number(timeout ?? 0);
  try {
    const written = await writeCheckpoint(sources, pod, place, seconds > 0 ? seconds * 1000 : TIMEOUT_MS);
    return jsonResponse(200, { items: [written] });
  } catch (error) {
    const why = errorText(error);
    return textResponse(500, `checkpointing of ${namespace}/${name}/${container} failed (${why})`);
  }
}

async function writeCheckpoint(
  sources: KubeletSources,
  pod: Stored<corev1.Pod>,
  { namespace, name, container }: ContainerPlace,
  timeoutMs: number,
): Promise<string> {
  const status = statusOf(pod, container);
  if (status?.state?.running === undefined)
    throw new ClusterError('NotFound', `container ${container} not found`);
  const content = await contentOf(sources, status.containerID ?? '', timeoutMs);
  const now = sources.clock.now();
  const archive = await packCheckpoint({ pod, status, content, now });
  const time = formatTime(new Date(now));
  const path = `${DIRECTORY}/checkpoint-${name}_${namespace}-${container}-${time}.tar`;
  await sources.checkpoints.write(path, archive);
  return path;
}

async function contentOf(
  sources: KubeletSources,
  containerId: string,
  timeoutMs: number,
): Promise<CheckpointContent> {
  const found = runtimeOf(sources, containerId);
  const { runtime, id } = found ?? {};
  if (runtime?.checkpoint === undefined || id === undefined)
    throw new ClusterError(
      'NotSupported',
      'rpc error: code = Unimplemented desc = method CheckpointContainer not implemented',
    );
  return await runtime.checkpoint(id, { timeoutMs });
}
