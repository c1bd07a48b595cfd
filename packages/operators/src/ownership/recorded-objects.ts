import { defined } from '@kubewright/kube';
import type { InventoryEntry } from './api.ts';
import { objectKey } from './inventory.ts';

/** Characters of all `applied` of a slice: beside its manifests they have to fit into one object of the server. */
const APPLIED_LIMIT = 400_000;

/** The inventory of a slice while it is worked on, by the keys of its objects: a slice may have thousands. */
export class RecordedObjects {
  #entries: readonly InventoryEntry[] = [];
  readonly #places = new Map<string, number>();
  /** Characters of all `applied`. */
  #size = 0;

  constructor(entries: readonly InventoryEntry[]) {
    this.replace(entries);
  }

  get entries(): readonly InventoryEntry[] {
    return this.#entries;
  }

  replace(entries: readonly InventoryEntry[]): void {
    this.#entries = entries;
    this.#size = entries.reduce((sum, { applied }) => sum + lengthOf(applied), 0);
    this.#places.clear();
    for (const [place, entry] of entries.entries()) this.#places.set(objectKey(entry), place);
  }

  get(key: string): InventoryEntry | undefined {
    const place = this.#places.get(key);
    return place === undefined ? undefined : this.#entries[place];
  }

  /** Too much is not recorded: it only matters where ownership is lost. */
  setApplied(key: string, applied: string | undefined): void {
    const before = this.get(key);
    if (before === undefined || before.applied === applied) return;
    const others = this.#size - lengthOf(before.applied);
    const kept = others + lengthOf(applied) <= APPLIED_LIMIT ? applied : undefined;
    const { applied: _before, ...rest } = before;
    this.#size = others + lengthOf(kept);
    const place = this.#places.get(key) ?? -1;
    this.#entries = this.#entries.with(place, { ...rest, ...defined({ applied: kept }) });
  }
}

function lengthOf(applied: string | undefined): number {
  return applied?.length ?? 0;
}
