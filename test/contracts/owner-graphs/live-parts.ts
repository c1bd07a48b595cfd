/** What is read of a live object's metadata. */
export type Metadata = {
  readonly name: string;
  readonly uid: string;
  readonly deletionTimestamp?: string;
  readonly finalizers?: readonly string[];
  readonly ownerReferences?: readonly { readonly uid: string }[];
};

/** What is read of an Event. */
export type GraphEvent = {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly involvedObject: { readonly uid: string };
};
