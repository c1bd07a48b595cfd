import { type Json, type JsonObject, setOwn } from '../../json/json.ts';
import { KubeError } from '../../kube-error.ts';
import { formatPathElement } from '../../fields/format-path.ts';
import type { PathElement } from '../../fields/path-element.ts';
import type { ListNode, SchemaNode } from '../../schema/schema-node.ts';
import { itemElement } from './item-element.ts';
import { asList, asObject, fieldNodeOrAny, isEmptyContainer, shapeOf } from './shape.ts';

/**
 * An object with a configuration laid over it: the configuration's leaves win, nothing goes. Lists keep the order of
 * the configuration for the items that both have. Throws `TypedError` where the configuration repeats a key.
 * Source: structured-merge-diff's `TypedValue.Merge`.
 */
export function mergeTyped(node: SchemaNode, live: Json, config: Json): Json {
  return merge(node, live, config);
}

function merge(node: SchemaNode, live: Json | undefined, config: Json): Json {
  if (live === undefined || live === config) return config;
  const shape = shapeOf(node, config);
  if (shape === 'leaf' || shape !== shapeOf(node, live)) return config;
  if (isEmptyContainer(live) && isEmptyContainer(config)) return config;
  if (shape === 'list') return new ListMerge(node as ListNode, asList(live), asList(config)).run();
  return mergeFields(node, asObject(live) ?? {}, asObject(config) ?? {});
}

function mergeFields(node: SchemaNode, live: JsonObject, config: JsonObject): JsonObject {
  const merged: Record<string, Json> = {};
  let isLive = true;
  for (const name of Object.keys(live)) {
    const value = live[name] ?? null;
    const next = Object.hasOwn(config, name)
      ? merge(fieldNodeOrAny(node, name).node, value, config[name] ?? null)
      : value;
    isLive &&= next === value;
    setOwn(merged, name, next);
  }
  for (const name of Object.keys(config)) {
    if (Object.hasOwn(live, name)) continue;
    isLive = false;
    setOwn(merged, name, config[name] ?? null);
  }
  return isLive ? live : merged;
}

type Items = { readonly elements: readonly PathElement[]; readonly values: ReadonlyMap<PathElement, Json> };

/** Live lists may hold duplicates, which merge with nothing: they read as null. */
function liveItems(list: ListNode, items: readonly Json[]): Items {
  const values = new Map<PathElement, Json>();
  const elements = items.map((item) => {
    const element = itemElement(list, item);
    values.set(element, values.has(element) ? null : item);
    return element;
  });
  return { elements, values };
}

function configItems(list: ListNode, items: readonly Json[]): Items {
  const values = new Map<PathElement, Json>();
  const elements = items.map((item) => {
    const element = itemElement(list, item);
    if (values.has(element)) {
      throw new KubeError('TypedError', `duplicate entries for key ${formatPathElement(element)}`);
    }
    values.set(element, item);
    return element;
  });
  return { elements, values };
}

/**
 * Walks both lists: items of one side keep their place relative to the items that both have, and those come in the
 * configuration's order.
 */
class ListMerge {
  readonly #list: ListNode;
  readonly #live: readonly Json[];
  readonly #from: Items;
  readonly #to: Items;
  /** Elements of both sides in the configuration's order; those before `#next` are merged. */
  readonly #shared: readonly PathElement[];
  readonly #taken = new Set<PathElement>();
  readonly #out: Json[] = [];
  #left = 0;
  #right = 0;
  #next = 0;

  constructor(list: ListNode, live: readonly Json[] = [], config: readonly Json[] = []) {
    this.#list = list;
    this.#live = live;
    this.#from = liveItems(list, live);
    this.#to = configItems(list, config);
    this.#shared = this.#to.elements.filter((element) => this.#from.values.has(element));
  }

  run(): readonly Json[] {
    while (this.#left < this.#live.length || this.#right < this.#to.elements.length) this.#step();
    const isSame =
      this.#out.length === this.#live.length && this.#out.every((item, i) => item === this.#live[i]);
    return isSame ? this.#live : this.#out;
  }

  #step(): void {
    const left = this.#from.elements[this.#left];
    const right = this.#to.elements[this.#right];
    if (left !== undefined && left !== right && this.#keepOrSkip(left, right)) {
      this.#left++;
      return;
    }
    // A second live item under a key that is merged goes, and the configuration's next item comes at its place.
    if (left === right || (left !== undefined && this.#taken.has(left))) this.#left++;
    if (right !== undefined) this.#take(right);
  }

  /** True where nothing of the configuration comes now: the live item is kept as it is, or belongs to a later place. */
  #keepOrSkip(left: PathElement, right: PathElement | undefined): boolean {
    if (!this.#to.values.has(left)) {
      this.#out.push(this.#live[this.#left] ?? null);
      return true;
    }
    const next = this.#shared[this.#next];
    return right !== undefined && next !== undefined && next !== left;
  }

  #take(element: PathElement): void {
    const config = this.#to.values.get(element) ?? null;
    this.#taken.add(element);
    this.#out.push(merge(this.#list.items, this.#from.values.get(element), config));
    this.#right++;
    if (this.#shared[this.#next] === element) this.#next++;
  }
}
