import { randomUUID } from 'node:crypto';

/** A name that no other run of a process has. */
export const randomName = (): string => randomUUID();
