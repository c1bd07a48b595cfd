import { isStatusError } from '../api-server-error.ts';
import { carryOut } from '../request/steps.ts';
import { errorFrame } from '../storage/store-event.ts';
import type { WatchQueue } from '../storage/watch-queue.ts';
import { converting } from './converting.ts';
import type { RestContext } from './rest-context.ts';

/** Queues what is made for an event, if anything; false when the watch is over. */
export type Push = (make: () => Uint8Array | undefined) => boolean;

/** For events that need no conversion. */
export function atOnce(queue: WatchQueue): Push {
  return (make) => {
    const bytes = make();
    return bytes === undefined || queue.push(bytes);
  };
}

/** Queues events in their order, of which each may have to wait until a webhook has converted its object. */
export function inTurn(context: RestContext, queue: WatchQueue): Push {
  const waiting: (() => Uint8Array | undefined)[] = [];
  let isOver = false;
  const end = (): void => {
    isOver = true;
    queue.end();
  };
  const work = async (): Promise<void> => {
    for (let make = waiting[0]; make !== undefined && !isOver; make = waiting[0]) {
      // One after another: the events keep their order.
      const bytes = await carryOut(converting(context, make));
      if (bytes !== undefined && !queue.push(bytes)) isOver = true;
      waiting.shift();
    }
  };
  const fail = (error: unknown): void => {
    if (isStatusError(error)) queue.push(errorFrame(error.status));
    else context.log('a watch failed', { error });
    end();
  };
  return (make) => {
    if (waiting.length >= context.watchQueueLimit) end();
    if (isOver) return false;
    if (waiting.push(make) === 1) work().catch(fail);
    return true;
  };
}
