/** An authenticated user; the vocabulary of `authentication.k8s.io/v1 UserInfo`. */
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

export const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };
const EVERYBODY = ['system:authenticated', 'system:unauthenticated'];

/** The user as a member of `system:authenticated`. */
export function authenticatedUser(user: UserInfo): UserInfo {
  if (user.username === ANONYMOUS.username || user.groups.some((group) => EVERYBODY.includes(group)))
    return user;
  return { ...user, groups: [...user.groups, 'system:authenticated'] };
}
