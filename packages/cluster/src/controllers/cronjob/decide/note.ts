import type { EventNote } from '@kubewright/runtime';

export function note(type: EventNote['type'], reason: string, message: string): EventNote {
  return { type, reason, message };
}

/** `Mon, 02 Jan 2006 15:04:05 +0000`: what Go calls RFC 1123 with a numeric zone. */
export function missedAt(scheduled: number): EventNote {
  const time = new Date(scheduled).toUTCString().replace('GMT', '+0000');
  return note('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${time}`);
}
