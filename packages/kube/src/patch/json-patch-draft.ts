import { KubeError } from '../kube-error.ts';
import { getOwn, isJsonArray, isJsonObject, type Json, setOwn } from '../json/json.ts';
import { type Container, findParent, parseIndex, type JsonPointer } from './json-pointer.ts';

type Draftable = Json[] | Record<string, Json>;

/**
 * A document being patched. Containers are copied before they are first written and written in place from then on,
 * so that a patch of many operations costs what it touches and the original stays as it was.
 */
export class JsonPatchDraft {
  root: Container;
  private readonly owned = new Set<object>();

  constructor(document: Container) {
    this.root = document;
  }

  /** The value at the pointer. A name that an object does not have yields undefined, a bad index throws. */
  get(pointer: JsonPointer, parent: Container): Json | undefined {
    if (!isJsonArray(parent)) return getOwn(parent, pointer.key);
    return parent[indexIn(parent, pointer.key)];
  }

  has(pointer: JsonPointer): Container | undefined {
    return findParent(this.root, pointer);
  }

  /** Sets a field, or inserts an item before the index; `-` is the end. */
  add(pointer: JsonPointer, value: Json): void {
    const parent = this.own(pointer);
    if (!Array.isArray(parent)) return setOwn(parent, pointer.key, value);
    if (pointer.key === '-') return void parent.push(value);
    const index = parseIndex(pointer.key, parent.length + 1);
    if (typeof index === 'number') parent.splice(index, 0, value);
    else if (!index.startsWith('strconv')) throw refused(index);
    else throw refused(`value was not a proper array index: '${pointer.key}': ${index}`);
  }

  replace(pointer: JsonPointer, value: Json): void {
    const parent = this.own(pointer);
    if (Array.isArray(parent)) parent[indexIn(parent, pointer.key)] = value;
    else setOwn(parent, pointer.key, value);
  }

  remove(pointer: JsonPointer): void {
    const parent = this.own(pointer);
    if (Array.isArray(parent)) parent.splice(indexIn(parent, pointer.key), 1);
    else if (Object.hasOwn(parent, pointer.key)) delete parent[pointer.key];
    else throw refused(`Unable to remove nonexistent key: ${pointer.key}: missing value`);
  }

  /** Call it when a value gets a second parent: from then on it is copied before a write. */
  share(): void {
    this.owned.clear();
  }

  /** The pointer's parent, copied together with the way to it unless this draft made it. */
  private own(pointer: JsonPointer): Draftable {
    let container = this.draft(this.root);
    this.root = container;
    for (const step of pointer.parents) {
      const key = Array.isArray(container) ? String(indexIn(container, step)) : step;
      const next = (container as Record<string, Json>)[key];
      if (!isJsonArray(next) && !isJsonObject(next)) throw new TypeError(`pointer was not checked: ${step}`);
      const copy = this.draft(next);
      setOwn(container as Record<string, Json>, key, copy);
      container = copy;
    }
    return container;
  }

  private draft(container: Container): Draftable {
    if (this.owned.has(container)) return container as Draftable;
    const copy = isJsonArray(container) ? [...container] : { ...container };
    this.owned.add(copy);
    return copy;
  }
}

function indexIn(list: readonly Json[], step: string): number {
  const index = parseIndex(step, list.length);
  if (typeof index === 'string') throw refused(index);
  return index;
}

function refused(message: string): KubeError {
  return new KubeError('InvalidPatch', message);
}
