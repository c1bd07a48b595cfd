import {
  compareText,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  type ManagedFieldsEntry,
  parseTime,
  type Stored,
} from '@kubewright/kube';
import { FieldSet } from '@kubewright/kube/fields';
import { NOT_SPEC } from '../annotations/spec-hash.ts';
import { pathTo } from '../decide/changed-fields.ts';
import type { LoggedDecision } from '../decision-log/decision-logs.ts';

/** The latest write of a field, as far as the server's own record of it says. */
type FieldWriter = { readonly manager: string; readonly operation: string; readonly time: string };

/** A field, its value, and who set it: the decision that let it in, or, where the log has none, a field manager. */
export type ExplainedField = {
  readonly path: string;
  readonly value: Json;
  readonly decision?: LoggedDecision;
  readonly writer?: FieldWriter;
};

const DEEPEST = 8;
/** Between a decision and the time that the server stores with the write. */
const CLOSE_MS = 5000;

/** Why each field of an object's spec, or of its data, is as it is. Pure. `decisions` has the oldest first. */
export function explainFields(live: Stored, decisions: readonly LoggedDecision[]): readonly ExplainedField[] {
  const known = decisions.filter(({ allowed }) => allowed).toReversed();
  const claims = claimsOf(live);
  return leavesOf(live, known).map(({ path, elements, value }) => {
    const decision = known.find((one) => sets(one, path));
    const writer = writerOf(claims, elements);
    const isExplained = decision !== undefined && !isLater(writer, decision, known);
    if (isExplained) return { path, value, decision };
    return writer === undefined ? { path, value } : { path, value, writer };
  });
}

type Leaf = { readonly path: string; readonly elements: readonly string[]; readonly value: Json };

/** The parts of the object that were changed apart from each other. */
function leavesOf(live: JsonObject, known: readonly LoggedDecision[]): readonly Leaf[] {
  const changed = known.flatMap(({ fields }) => fields);
  const split = ({ path, elements, value }: Leaf): readonly Leaf[] => {
    const isSplit = elements.length === 1 || changed.some((one) => isBelow(one, path));
    if (!isJsonObject(value) || !isSplit || elements.length >= DEEPEST) return [{ path, elements, value }];
    return Object.entries(value).flatMap(([key, member]) =>
      split({ path: pathTo(path, key), elements: [...elements, `f:${key}`], value: member ?? null }),
    );
  };
  return Object.entries(live)
    .filter(([key]) => !NOT_SPEC.has(key))
    .flatMap(([key, value]) => split({ path: key, elements: [`f:${key}`], value: value ?? null }));
}

/** An update without fields changed too many to list. */
function sets({ operation, fields }: LoggedDecision, path: string): boolean {
  if (operation === 'CREATE' || fields.length === 0) return true;
  return fields.some((field) => field === path || isBelow(path, field));
}

function isBelow(path: string, ancestor: string): boolean {
  return path.startsWith(ancestor) && '.['.includes(path.charAt(ancestor.length) || ' ');
}

type Claim = FieldWriter & { readonly set: FieldSet };

/** The newest first. Entries that cannot be decoded explain nothing. */
function claimsOf({ metadata: { managedFields = [] } }: Stored): readonly Claim[] {
  return managedFields
    .filter(({ subresource = '' }) => subresource !== 'status')
    .flatMap((entry) => {
      const set = setOf(entry);
      const { manager = '', operation = '', time = '' } = entry;
      return set === undefined ? [] : [{ manager, operation, time, set }];
    })
    .toSorted((a, b) => compareText(b.time, a.time));
}

function setOf({ fieldsV1 }: ManagedFieldsEntry): FieldSet | undefined {
  try {
    return FieldSet.parse(fieldsV1 ?? {});
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}

function writerOf(claims: readonly Claim[], elements: readonly string[]): FieldWriter | undefined {
  const claim = claims.find(({ set }) => set.has(elements) || !set.at(elements).isEmpty);
  return claim && { manager: claim.manager, operation: claim.operation, time: claim.time };
}

/** A later write that no decision accounts for: no policy named the object then, or the operator was down. */
function isLater(
  writer: FieldWriter | undefined,
  decision: LoggedDecision,
  known: readonly LoggedDecision[],
): boolean {
  const at = writer && msOf(writer.time);
  if (at === undefined || at - (msOf(decision.time) ?? at) <= CLOSE_MS) return false;
  return !known.some(({ time }) => Math.abs((msOf(time) ?? 0) - at) <= CLOSE_MS);
}

function msOf(text: string): number | undefined {
  try {
    return parseTime(text).getTime();
  } catch (error) {
    if (error instanceof KubeError) return undefined;
    throw error;
  }
}
