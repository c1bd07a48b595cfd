import { type ApiResponse, type corev1, defined } from '@kubewright/kube';
import { textResponse } from './text-response.ts';
import type { KubeletRequest } from './kubelet-request.ts';
import {
  type ContainerPlace,
  type KubeletSources,
  podAt,
  runtimeOf,
  specOf,
  statusOf,
} from './kubelet-sources.ts';
import { logBytes } from './log-bytes.ts';
import { type LogQuery, logQuery } from './log-query.ts';

/** `GET /containerLogs/NAMESPACE/POD/CONTAINER`. Errors and their texts are those of a kubelet. */
export function containerLogs(
  sources: KubeletSources,
  request: KubeletRequest,
  place: ContainerPlace,
): ApiResponse {
  const { path, signal } = request;
  const query = logQuery(new URLSearchParams(path.split('?').slice(1).join('?')), sources.clock.now());
  if (query === 'undecodable') return textResponse(400, '{"message": "Unable to decode query."}');
  if (query === 'invalid') return textResponse(422, '{"message": "Invalid request."}');
  const pod = podAt(sources, place);
  if (pod === undefined) return textResponse(404, `pod ${JSON.stringify(place.name)} does not exist`);
  const what = `container ${JSON.stringify(place.container)}`;
  const where = `in pod ${JSON.stringify(place.name)}`;
  if (specOf(pod, place.container) === undefined) return textResponse(404, `${what} not found ${where}`);
  const status = statusOf(pod, place.container);
  if (status === undefined) return textResponse(400, `${what} ${where} is not available`);
  const found = attemptOf(status, query, `${what} ${where}`);
  if ('error' in found) return textResponse(400, found.error);
  return {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: read(sources, found.id, query, signal),
  };
}

function read(
  sources: KubeletSources,
  containerId: string,
  query: LogQuery,
  signal: AbortSignal | undefined,
): AsyncIterable<Uint8Array> {
  const { follow, tail } = query;
  const found = runtimeOf(sources, containerId);
  const options = {
    follow,
    ...defined({ tail, signal }),
  };
  return logBytes(found?.runtime.logs(found.id, options) ?? nothing(), query);
}

async function* nothing(): AsyncGenerator<never> {}

type Attempt = { readonly id: string } | { readonly error: string };

/** The attempt whose log is meant, by the container's status. */
function attemptOf(status: corev1.ContainerStatus, { previous }: LogQuery, what: string): Attempt {
  const last = status.lastState?.terminated?.containerID ?? '';
  const id = previous ? last : idOf(status, last);
  if (id !== '') return { id };
  return { error: previous ? `previous terminated ${what} not found` : `${what} ${whyNot(status)}` };
}

function idOf({ state = {}, containerID = '' }: corev1.ContainerStatus, last: string): string {
  return state.running === undefined ? (state.terminated?.containerID ?? last) : containerID;
}

function whyNot({ state = {}, lastState = {} }: corev1.ContainerStatus): string {
  if ((state.terminated ?? lastState.terminated) !== undefined) return 'is terminated';
  return `is waiting to start${reasonOf(state.waiting?.reason)}`;
}

function reasonOf(reason: string | undefined): string {
  if (reason === undefined) return ' - no logs yet';
  if (reason === 'ErrImagePull') return ": image can't be pulled";
  return `: ${reason === 'ImagePullBackOff' ? 'trying and failing to pull image' : reason}`;
}
