/** Who asks; the vocabulary of `authentication.k8s.io/v1 UserInfo`. */
export type UserInfo = {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
};

/** May do everything: the in-process transport's user unless another is named. */
export const ADMIN: UserInfo = {
  username: 'kubernetes-admin',
  groups: ['system:masters', 'system:authenticated'],
};
