const PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** The subprotocols of a client without the one in which it shows its token. */
export type ShownProtocols = {
  readonly protocols: readonly string[];
  readonly token?: string;
  /** Credentials that are not valid. */
  readonly isWrong: boolean;
};

/** Browsers cannot set `Authorization`: a token may be a subprotocol beside another one. */
export function tokenInProtocols(offered: readonly string[]): ShownProtocols {
  const protocols = offered.filter((name) => !name.startsWith(PREFIX));
  const [shown, another] = offered.filter((name) => name.startsWith(PREFIX));
  if (shown === undefined) return { protocols, isWrong: false };
  const encoded = shown.slice(PREFIX.length);
  const token = Buffer.from(encoded, 'base64url').toString();
  const isWrong = another !== undefined || protocols.length === 0 || !/^[\w-]+$/.test(encoded);
  return isWrong ? { protocols, isWrong } : { protocols, token, isWrong };
}
