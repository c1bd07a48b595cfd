import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { type Json, jsonEqual } from '@kubewright/kube';
import type { Hostility } from './hostility.ts';

/** What kube-controller-manager made of a scenario under a hostility, and how often it tried to write. */
type Entry = { readonly end: Json; readonly writes: number };
export type Entries = Partial<Record<Hostility, Entry>>;

const FILE = new URL('../../../goldens/hostile-admission.json', import.meta.url);

/** Whether the real side is recorded anew, and not compared. */
export const RECORDS = process.env['KUBEWRIGHT_RECORD'] === 'hostile-admission';
/** It looks a controller in the face for so long, and some come by once in many seconds. */
const QUIET_MS = 6000;

const known: Record<string, Entries> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {};

export function goldenOf(title: string): Entries {
  return known[title] ?? {};
}

/** Waits until nothing changes any more, and keeps how it is then. */
export async function recordGolden(title: string, look: () => Promise<Entries>): Promise<void> {
  for (let last: Entries = {}, now = await look(); !jsonEqual(last, now); now = await look()) {
    last = now;
    await delay(QUIET_MS);
  }
  known[title] = await look();
  const sorted = Object.fromEntries(Object.entries(known).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(FILE, `${JSON.stringify(sorted, null, 2)}\n`);
}
