import type { JsonObject } from '@kubewright/kube';

/** An object that a tool applies, as its record names it. */
export type RecordedObject = {
  readonly apiVersion: string;
  readonly kind: string;
  /** Absent: the kind has none. */
  readonly namespace?: string;
  readonly name: string;
  /** What the tool applies now; absent where its record does not have it. */
  readonly manifest?: JsonObject;
  /** What it applied before, as far as its record reaches back. */
  readonly earlier: readonly JsonObject[];
};

/** What a tool has recorded of its own work: a Helm release, an Argo CD Application, a Flux Kustomization. */
export type ToolRecord = {
  /** `release web in shop, revision 3 (deployed)`. */
  readonly title: string;
  /** The field managers under which the tool applies; the first is the usual one. */
  readonly managers: readonly string[];
  readonly objects: readonly RecordedObject[];
  /** What its user should know: of records that cannot be read, or that do not have what is needed. */
  readonly notes: readonly string[];
  /** What the user does next, so that the tool removes what it dropped: `helm upgrade`. */
  readonly next: string;
};
