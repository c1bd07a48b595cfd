import { keyOf, type Ref } from '@kubewright/client';
import {
  type Condition,
  getCondition,
  isConditionTrue,
  type KubeObject,
  type Stored,
} from '@kubewright/kube';
import { RuntimeError, waitForObject } from '@kubewright/runtime';
import type { CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';

type RequestObject = KubeObject & {
  readonly status?: { readonly completionTimestamp?: string; readonly conditions?: readonly Condition[] };
};

const PATIENCE_MS = 300_000;

type FollowOptions<T extends RequestObject> = {
  readonly patienceMs?: number;
  /** Whether nothing more is waited for, before the request is finished. */
  readonly isEnough?: (live: Stored<T>) => boolean;
};

/** Prints the progress of a request until it is finished. Rejects when it has failed. In a dry run there is none. */
export async function followRequest<T extends RequestObject>(
  { client, out, signal, dryRun }: Pick<CommandStage, 'client' | 'out' | 'signal' | 'dryRun'>,
  ref: Ref<T>,
  request: Stored<NoInfer<T>>,
  { patienceMs = PATIENCE_MS, isEnough = () => false }: FollowOptions<NoInfer<T>> = {},
): Promise<Stored<T>> {
  const title = `${request.kind} ${request.metadata.name}`;
  if (dryRun !== undefined) {
    out(printable(`${title.trimEnd()} is created\n`));
    return request;
  }
  let shown = '';
  const isDone = (live: Stored<T> | undefined): boolean => {
    if (live === undefined)
      throw new OperatorError('Failed', `${title} was deleted before it was finished; make a new one`);
    const line = lineOf(live);
    if (line !== shown) out(printable(`${title}: ${line}\n`));
    shown = line;
    return live.status?.completionTimestamp !== undefined || isEnough(live);
  };
  const options = { signal, timeoutMs: patienceMs };
  const done = await waitForObject(client, ref, keyOf(request), isDone, options).catch((error: unknown) => {
    throw error instanceof RuntimeError ? notDone(title, error) : error;
  });
  const isGood = (live: Stored<T>): boolean =>
    isConditionTrue(live.status?.conditions, 'Ready') ||
    (live.status?.completionTimestamp === undefined && isEnough(live));
  if (done !== undefined && isGood(done)) return done;
  throw new OperatorError('Failed', `${title} failed; fix what it reports, and make a new request`);
}

function lineOf({ status }: RequestObject): string {
  const ready = getCondition(status?.conditions, 'Ready');
  if (ready === undefined) return 'waiting';
  return ready.message === '' ? ready.reason : `${ready.reason}: ${ready.message}`;
}

function notDone(title: string, cause: RuntimeError): OperatorError {
  const message = `${title} is not finished: does the operator run? "kubewright manager --operators capture" runs it`;
  return new OperatorError('TimedOut', message, { cause });
}
