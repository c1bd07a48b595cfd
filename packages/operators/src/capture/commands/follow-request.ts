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
import { type RequestBoard, requestBoard } from './request-board.ts';

type RequestObject = KubeObject & {
  readonly status?: {
    readonly completionTimestamp?: string;
    readonly conditions?: readonly Condition[];
    readonly progress?: { readonly message?: string };
  };
};

const PATIENCE_MS = 300_000;

export type FollowOptions<T extends RequestObject = RequestObject> = {
  readonly patienceMs?: number;
  /** Whether nothing more is waited for, before the request is finished. */
  readonly isEnough?: (live: Stored<T>) => boolean;
  /** Where other requests are followed, too. */
  readonly board?: RequestBoard;
  /** How to come back to it, for who interrupts the command. */
  readonly resume?: string;
};

/** What is needed to follow a request. */
export type Following = Pick<CommandStage, 'client' | 'out' | 'signal' | 'dryRun'> &
  Partial<Pick<CommandStage, 'progress'>>;

/** Prints the progress of a request until it is finished. Rejects when it has failed. In a dry run there is none. */
export async function followRequest<T extends RequestObject>(
  stage: Following,
  ref: Ref<T>,
  request: Stored<NoInfer<T>>,
  options: FollowOptions<NoInfer<T>> = {},
): Promise<Stored<T>> {
  const title = `${request.kind} ${request.metadata.name}`;
  if (stage.dryRun !== undefined) {
    stage.out(printable(`${title.trimEnd()} is created\n`));
    return request;
  }
  const { isEnough = () => false, board = requestBoard(stage) } = options;
  const isDone = (live: Stored<T> | undefined): boolean => {
    if (live === undefined)
      throw new OperatorError('Failed', `${title} was deleted before it was finished; make a new one`);
    board.show(title, printable(lineOf(live)));
    return live.status?.completionTimestamp !== undefined || isEnough(live);
  };
  try {
    const done = await until(stage, ref, request, isDone, options);
    if (done !== undefined && isGood(done, isEnough)) return done;
  } finally {
    board.done(title);
  }
  throw new OperatorError('Failed', `${title} failed; fix what it reports, and make a new request`);
}

async function until<T extends RequestObject>(
  { client, signal }: Following,
  ref: Ref<T>,
  request: Stored<NoInfer<T>>,
  isDone: (live: Stored<NoInfer<T>> | undefined) => boolean,
  { patienceMs = PATIENCE_MS, resume }: Pick<FollowOptions, 'patienceMs' | 'resume'>,
): Promise<Stored<T> | undefined> {
  try {
    return await waitForObject(client, ref, keyOf(request), isDone, { signal, timeoutMs: patienceMs });
  } catch (error) {
    if (!(error instanceof RuntimeError)) throw error;
    const title = `${request.kind} ${request.metadata.name}`;
    throw signal.aborted ? interrupted(title, resume, error) : notDone(title, error);
  }
}

function isGood<T extends RequestObject>(live: Stored<T>, isEnough: (live: Stored<T>) => boolean): boolean {
  const { completionTimestamp, conditions } = live.status ?? {};
  return isConditionTrue(conditions, 'Ready') || (completionTimestamp === undefined && isEnough(live));
}

function lineOf({ status }: RequestObject): string {
  if (status === undefined) return 'waiting for the operator';
  const ready = getCondition(status.conditions, 'Ready');
  const { message: awaited = '' } = status.progress ?? {};
  if (ready === undefined) return awaited === '' ? 'in progress' : `in progress: ${awaited}`;
  return ready.message === '' ? ready.reason : `${ready.reason}: ${ready.message}`;
}

function notDone(title: string, cause: RuntimeError): OperatorError {
  const message = `${title} is not finished: does the operator run? "kubewright manager --operators capture" runs it`;
  return new OperatorError('TimedOut', message, { cause });
}

function interrupted(title: string, resume: string | undefined, cause: RuntimeError): OperatorError {
  const way = resume ?? '"kubewright capture list --watch" shows how far it is';
  return new OperatorError('Interrupted', printable(`interrupted; ${title} goes on in the cluster; ${way}`), {
    cause,
  });
}
