import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject, jsonEqual } from '@kubewright/kube';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import type { Check, Errors } from './errors.ts';
import { itemsAt, type KeyOf, maybeNumber, stringsAt } from '../objects/read.ts';
import { shownAs } from './shown-as.ts';

type At<T, K extends keyof T> = NonNullable<T[K]>;
type Item<List> = List extends readonly (infer Element)[] ? NonNullable<Element> : never;

/** Where a field stands: what it shares with those below it. */
type Place = { readonly path: string; readonly errors: FieldError[] };

type Struct = { readonly object: JsonObject };

/** How an error shows its value: `value` in place of the field's own, as the internal Go type `as` ({@link shownAs}). */
type Shown = { readonly value?: Json; readonly as?: string | undefined };

/** What is wrong with a text, one message each. */
type TextRule = (text: string) => readonly string[];

const EMPTY: JsonObject = Object.freeze({});

/**
 * A field of an object: its value, its path, and the list that its errors go to (`field.Path` and `field.ErrorList` of
 * Go in one). `T` is its type in the API, so that a misspelt key does not compile. The value is what a client sent, of
 * any type: what is absent, null or of another type reads as Go's zero value.
 */
export class Field<T> implements Place {
  /** Null where it is absent. */
  readonly value: Json;
  /** The value as a struct: empty where it is none. */
  readonly object: JsonObject;
  readonly errors: FieldError[];
  private readonly parent: Place | undefined;
  private readonly name: string;

  /** `name` is what the path has after that of `parent`: `.spec`, `[0]`. Without either it is the object itself. */
  constructor(value: Json | undefined, parent?: Place, name = '') {
    this.value = value ?? null;
    this.object = isJsonObject(value) ? value : EMPTY;
    this.errors = parent?.errors ?? [];
    this.parent = parent;
    this.name = name;
  }

  /** `spec.containers[0].image`; made when it is asked for, which is where something is wrong. */
  get path(): string {
    const path = (this.parent?.path ?? '') + this.name;
    return path.startsWith('.') ? path.slice(1) : path;
  }

  get isStruct(): boolean {
    return this.value === this.object;
  }

  /** The value as a text: empty where it is none. */
  get asText(): string {
    return typeof this.value === 'string' ? this.value : '';
  }

  /** The field with another value. */
  with(value: JsonObject): Field<T> {
    return new Field(value, this.parent, this.name);
  }

  at<K extends KeyOf<T>>(key: K): Field<At<T, K>> {
    return new Field(getOwn(this.object, key), this, `.${key}`);
  }

  /** The struct under `key`, or undefined where a Go pointer would be nil. */
  maybeAt<K extends KeyOf<T>>(key: K): Field<At<T, K>> | undefined {
    const field = this.at(key);
    return field.isStruct ? field : undefined;
  }

  /** What a map has under `key`: `labels[app]`. */
  entry(key: KeyOf<T>): Field<T[KeyOf<T>]> {
    return new Field(getOwn(this.object, key), this, `[${key}]`);
  }

  items<K extends KeyOf<T, readonly unknown[]>>(key: K): readonly Field<Item<At<T, K>>>[] {
    const list = this.at(key);
    return isJsonArray(list.value)
      ? list.value.map((item, index) => new Field(item, list, `[${index}]`))
      : [];
  }

  /** One item of a list, which may be absent. */
  item<K extends KeyOf<T, readonly unknown[]>>(key: K, index: number): Field<Item<At<T, K>>> {
    return new Field(itemsAt(this.object, key)[index], this.at(key), `[${index}]`);
  }

  /** How many items the list under `key` has. */
  count(key: KeyOf<T, readonly unknown[]>): number {
    return itemsAt(this.object, key).length;
  }

  /** True where a Go pointer would not be nil. */
  has(key: KeyOf<T>): boolean {
    return (getOwn(this.object, key) ?? null) !== null;
  }

  isTrue(key: KeyOf<T, boolean>): boolean {
    return getOwn(this.object, key) === true;
  }

  is<K extends KeyOf<T, string>>(key: K, value: At<T, K> & string): boolean {
    return getOwn(this.object, key) === value;
  }

  text(key: KeyOf<T, string>): string {
    return this.maybeText(key) ?? '';
  }

  maybeText(key: KeyOf<T, string>): string | undefined {
    const value = getOwn(this.object, key);
    return typeof value === 'string' ? value : undefined;
  }

  texts(key: KeyOf<T, readonly string[]>): readonly string[] {
    return stringsAt(this.object, key);
  }

  number(key: KeyOf<T, number>): number {
    return maybeNumber(this.object, key) ?? 0;
  }

  maybeNumber(key: KeyOf<T, number>): number | undefined {
    return maybeNumber(this.object, key);
  }

  /** Adds a `Required` where there is nothing under `key`. */
  require(key: KeyOf<T>, detail = ''): void {
    if (!this.has(key)) this.at(key).addRequired(detail);
  }

  /** Adds a `Required` for an empty text under `key`. */
  requireText(key: KeyOf<T, string>, detail = ''): void {
    if (this.text(key) === '') this.at(key).addRequired(detail);
  }

  /** Adds a `Forbidden` where there is something under `key`. */
  forbid(key: KeyOf<T>, detail: string): void {
    if (this.has(key)) this.at(key).addForbidden(detail);
  }

  /** Adds an `Invalid` for each number below 0. */
  nonNegative(...keys: readonly KeyOf<T, number>[]): void {
    for (const key of keys) {
      const value = this.number(key);
      if (value < 0) this.at(key).addInvalid('must be greater than or equal to 0', { value });
    }
  }

  /** Adds an `Invalid` for each number that is not above 0. */
  positive(...keys: readonly KeyOf<T, number>[]): void {
    for (const key of keys) {
      const value = this.number(key);
      if (value <= 0) this.at(key).addInvalid('must be greater than zero', { value });
    }
  }

  /** Adds a `Too many` for a longer list. */
  atMostItems(key: KeyOf<T, readonly unknown[]>, maximum: number): void {
    const length = this.count(key);
    if (length > maximum) this.at(key).addTooMany(length, maximum);
  }

  /** Adds an `Unsupported value` unless the text is one of `values`, which are listed in the order given. */
  oneOf<K extends KeyOf<T, string>>(key: K, values: readonly (At<T, K> & string)[]): void {
    this.at(key).mustBeOneOf(values);
  }

  /** As {@link oneOf}, where there is a text. */
  oneOfIfSet<K extends KeyOf<T, string>>(key: K, values: readonly (At<T, K> & string)[]): void {
    if (this.maybeText(key) !== undefined) this.oneOf(key, values);
  }

  mustBeOneOf(values: readonly string[]): void {
    const value = this.asText;
    if (!values.includes(value)) this.addNotSupported(values, { value });
  }

  /** Adds a `Required` for an empty text, else as {@link oneOf}. */
  requireOneOf<K extends KeyOf<T, string>>(
    key: K,
    values: readonly (At<T, K> & string)[],
    detail?: string,
  ): void {
    if (this.text(key) === '') this.at(key).addRequired(detail);
    else this.oneOf(key, values);
  }

  /** Adds an `Invalid` for each message of `rule`. */
  matches(key: KeyOf<T, string>, rule: TextRule): void {
    this.at(key).mustMatch(rule);
  }

  /** As {@link matches}, where there is a text. */
  matchesIfSet(key: KeyOf<T, string>, rule: TextRule): void {
    if (this.maybeText(key) !== undefined) this.matches(key, rule);
  }

  /** Adds a `Required` for an empty text, else as {@link matches}. */
  requireMatch(key: KeyOf<T, string>, rule: TextRule): void {
    if (this.text(key) === '') this.at(key).addRequired('');
    else this.matches(key, rule);
  }

  /** Adds an `Invalid` for each message of `rule`; nothing is 0. */
  matchesNumber(key: KeyOf<T, number>, rule: (number: number) => readonly string[]): void {
    const value = this.number(key);
    for (const message of rule(value)) this.at(key).addInvalid(message, { value });
  }

  mustMatch(rule: TextRule): void {
    const value = this.asText;
    for (const message of rule(value)) this.addInvalid(message, { value });
  }

  /** Adds an `Invalid` where `old` has another value. */
  immutable(old: Struct, key: KeyOf<T>, as?: string): void {
    if (!jsonEqual(getOwn(this.object, key) ?? null, getOwn(old.object, key) ?? null))
      this.at(key).addInvalid('field is immutable', { as });
  }

  /** Adds a `Duplicate` for a text that `isRepeated` was given before: see `repeats`. */
  mustBeNew(isRepeated: (text: string) => boolean): void {
    if (isRepeated(this.asText)) this.addDuplicate(this.asText);
  }

  /** Whether `check` finds anything in the field, which does not keep it. */
  fails(check: (field: Field<T>) => void): boolean {
    const field = new Field<T>(this.value);
    check(field);
    return field.errors.length > 0;
  }

  /** Adds what `rule` finds in the struct. */
  check(rule: Check<JsonObject>): void {
    this.add(rule(this.object, this.path));
  }

  /** Adds what `rule` finds in the text. */
  checkText(rule: Check<string>): void {
    this.add(rule(this.asText, this.path));
  }

  add(errors: Errors): void {
    for (const error of errors) this.errors.push(error);
  }

  addRequired(detail?: string): void {
    this.errors.push(fieldErrors.required(this.path, detail));
  }

  addForbidden(detail: string): void {
    this.errors.push(fieldErrors.forbidden(this.path, detail));
  }

  addTooMany(length: number, maximum: number): void {
    this.errors.push(fieldErrors.tooMany(this.path, length, maximum));
  }

  addDuplicate(value: Json = this.value, as?: string): void {
    this.errors.push(showing(fieldErrors.duplicate(this.path, value), as));
  }

  addTooLong(maximum: number): void {
    this.errors.push(fieldErrors.tooLong(this.path, maximum));
  }

  addInvalid(detail: string, { value = this.value, as }: Shown = {}): void {
    this.errors.push(showing(fieldErrors.invalid(this.path, value, detail), as));
  }

  addNotSupported(values: readonly string[], { value = this.value, as }: Shown = {}): void {
    this.errors.push(showing(fieldErrors.notSupported(this.path, value, values), as));
  }
}

function showing(error: FieldError, as: string | undefined): FieldError {
  return as === undefined ? error : { ...error, shown: shownAs(as, error.value) };
}
