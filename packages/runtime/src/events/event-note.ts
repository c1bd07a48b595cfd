/** What an Event reports about an object (`kubectl describe` shows it). */
export type EventNote = {
  readonly type: 'Normal' | 'Warning';
  /** One word in CamelCase; machines match it. */
  readonly reason: string;
  readonly message: string;
  /** The part of the object that it is about (`involvedObject.fieldPath`): `spec.containers{web}`. */
  readonly fieldPath?: string;
  /** A second object that it is about: one that the controller acted on. */
  readonly related?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
};
