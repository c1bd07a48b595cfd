import type { JsonObject } from '@kubewright/kube';
import { type Reply, textReply } from '../../request/reply.ts';
import type { AccountTokens } from './account-tokens.ts';

const KEYS = '/openid/v1/jwks';
const CONFIGURATION = '/.well-known/openid-configuration';

/**
 * What others need to verify tokens of this cluster: the issuer and its public keys (OpenID Connect
 * Discovery 1.0). `address` is where this server is, as `host:port`. Undefined for all other paths.
 */
export function openIdPath(path: string, tokens: AccountTokens, address: string): Reply | undefined {
  const trimmed = path.endsWith('/') ? path.slice(0, -1) : path;
  if (trimmed === KEYS) return reply('application/jwk-set+json', { keys: [tokens.key().publicKey] });
  if (trimmed !== CONFIGURATION) return undefined;
  return reply('application/json', {
    issuer: tokens.issuer,
    jwks_uri: `https://${address}${KEYS}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [tokens.key().algorithm],
  });
}

/** The text as it is, neither indented nor encoded as YAML. */
function reply(type: string, value: JsonObject): Reply {
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=3600' };
  return { ...textReply(200, JSON.stringify(value)), headers };
}
