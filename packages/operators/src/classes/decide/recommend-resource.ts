import type { Resource } from '../api.ts';
import type { Size } from '../size-of.ts';

export const MI = 1024 ** 2;
const GI = 1024 * MI;
const STEP = 16 * MI;

/** The least and the most that is recommended: bytes. */
const MEMORY = { least: 64 * MI, most: 4 * GI, leastLimit: 128 * MI, mostLimit: 8 * GI } as const;
/** Millicores. */
const LEAST_CPU = 25;

/** Above what is used; of memory the most of a pod, of CPU what nine of ten pods use at most. */
const HEADROOM = { memory: 1.2, cpu: 1.15 } as const;
const LIMIT_FACTOR = 1.5;
/** Memory becomes less only where a pod uses less than this share of its limit. */
const ROOM = 0.6;
/** The most of a request that one change adds or takes, unless it ran out of memory. */
const DELTA = 0.25;

/** One resource of a function: what its pods use, have, and have to have. */
export type Use = {
  readonly used: number;
  readonly size: Size;
  readonly own: Size;
  /** A container was killed for want of memory since its last change. */
  readonly isShort?: boolean;
  /** One was, within a day. */
  readonly wasShort?: boolean;
};

/** The request that a function needs, whatever it has now. */
export function recommendResource(resource: Resource, use: Use): number {
  return resource === 'memory' ? recommendMemory(use) : recommendCpu(use);
}

function recommendMemory({ used, size, own, isShort = false, wasShort = false }: Use): number {
  const { request = 0, limit } = size;
  const usual = Math.max(used * HEADROOM.memory, MEMORY.least);
  const more = isShort ? Math.max(request * HEADROOM.memory, request + 100 * MI) : 0;
  const target = Math.max(own.request ?? 0, Math.min(roundedUp(Math.max(usual, more)), MEMORY.most));
  const isTight = wasShort || (limit !== undefined && used >= ROOM * limit);
  return target < request && isTight ? request : target;
}

function recommendCpu({ used, size, own }: Use): number {
  const target = Math.max(own.request ?? 0, LEAST_CPU, Math.ceil(used * HEADROOM.cpu));
  return Math.min(target, size.limit ?? target);
}

/** A new pod template is worth it: a fifth more or less, of memory 64Mi. */
export function isWorthResizing(resource: Resource, target: number, current: number): boolean {
  const change = Math.abs(target - current);
  return change * 5 >= current || (resource === 'memory' && change >= 64 * MI);
}

/** The next size on the way to a target. Of CPU there is no new limit. */
export function nextSize(resource: Resource, target: number, use: Use): Size {
  const { size, own, isShort = false } = use;
  const request = isShort ? target : bounded(target, size.request);
  if (resource === 'cpu') return { request: Math.ceil(request) };
  const rounded = roundedUp(request);
  const limit = Math.max(roundedUp(rounded * LIMIT_FACTOR), MEMORY.leastLimit);
  const most = Math.min(isShort ? limit : roundedUp(bounded(limit, size.limit)), MEMORY.mostLimit);
  return { request: rounded, limit: Math.max(most, own.limit ?? 0, rounded) };
}

function bounded(target: number, current: number | undefined): number {
  if (current === undefined) return target;
  return Math.min(Math.max(target, current * (1 - DELTA)), current * (1 + DELTA));
}

function roundedUp(bytes: number): number {
  return Math.ceil(bytes / STEP) * STEP;
}
