import { defined, formatTime, jsonEqual } from '@kubewright/kube';
import type { NfrDetail, ReplicaPoint } from '../api.ts';

/** The number of changes to keep. */
const MOST = 60;

/** The changes of a function's replicas, with those of now, if there are any. */
export function historyOf(
  { recommended, enforcement, current }: NfrDetail,
  stored: NfrDetail | undefined,
  now: Date,
): readonly ReplicaPoint[] {
  const { history = [] } = stored ?? {};
  const point = defined({ recommended, target: enforcement?.target, current });
  const { at: _time, ...last } = history.at(-1) ?? { at: '' };
  return jsonEqual(point, last) ? history : [...history, { at: formatTime(now), ...point }].slice(-MOST);
}
