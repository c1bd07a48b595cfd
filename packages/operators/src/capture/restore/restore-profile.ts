import { type Infer, s } from '@kubewright/kube';

/** What a restore has to know of a kind of custom resources. */
const RESTORE_PROFILE = s.object({
  group: s.string({ minLength: 1, maxLength: 253, description: 'the API group' }),
  kind: s.string({ minLength: 1, maxLength: 63 }),
  order: s.optional(
    s.oneOf(['data', 'last'], {
      description:
        'data: other objects refer to it, and it creates none. last: its controller creates or changes objects that are captured too. Default: after the first, before the last',
    }),
  ),
  namespaces: s.optional(
    s.list(s.string({ minLength: 1, maxLength: 1024 }), {
      maxItems: 16,
      description:
        'paths of fields with the name of a namespace, as spec.targetNamespace: the namespace of the capture becomes that of the restore',
    }),
  ),
  inCopy: s.optional(
    s.anyObject({
      description:
        'a JSON merge patch for objects that are restored into another namespace: it keeps the controller from what belongs to the original',
    }),
  ),
  note: s.optional(
    s.string({
      maxLength: 1024,
      description: 'what the plan says of objects that are restored into another namespace',
    }),
  ),
});

export type RestoreProfile = Infer<typeof RESTORE_PROFILE>;

/** The schema of the file of `--profiles`. */
export const RESTORE_PROFILES_FILE = s.list(RESTORE_PROFILE, { maxItems: 1000 });
