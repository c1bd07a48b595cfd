import type { Client } from '@kubewright/client';
import {
  createEventRecorder,
  type EventRecorder,
  type EventRecorderOptions,
} from '../events/event-recorder.ts';
import { callWithin } from '../call-within.ts';

/** How long a stopping manager waits for its last Events. */
const LAST_EVENTS_MS = 2000;

export type RecorderSet = {
  add(component: string, client: Client, host?: string): EventRecorder;
  /** Resolves when the recorded Events are written, or on a timeout. Never rejects. */
  finish(): Promise<void>;
};

/** The recorders of a manager. */
export function recorderSet(options: Omit<EventRecorderOptions, 'client' | 'component'>): RecorderSet {
  const recorders: EventRecorder[] = [];
  return {
    add(component, client, host) {
      const about = host === undefined ? { component } : { component, host };
      const recorder = createEventRecorder({ ...options, ...about, client });
      recorders.push(recorder);
      return recorder;
    },
    async finish() {
      const { signal } = new AbortController();
      const all = (): Promise<unknown> => Promise.all(recorders.map((recorder) => recorder.settled()));
      await callWithin(options.clock, LAST_EVENTS_MS, signal, all).catch((error: unknown) =>
        options.log.warn('the last events are not written', { error }),
      );
    },
  };
}
