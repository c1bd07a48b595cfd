/** Something worth telling the people who look at an object (`kubectl describe`). */
export type EventNote = {
  readonly type: 'Normal' | 'Warning';
  /** One word in CamelCase; machines match it. */
  readonly reason: string;
  readonly message: string;
  /** Which part of the object it is about: `spec.containers{web}`. */
  readonly fieldPath?: string;
  /** Another object that it is about as well: what a controller did to it. */
  readonly related?: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly namespace?: string;
    readonly name?: string;
    readonly uid?: string;
  };
};
