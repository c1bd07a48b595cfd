import { readFile } from 'node:fs/promises';
import { getOwn, isJsonObject, type Json } from '@kubewright/kube';
import { objectIn } from '../checkpoints/problem-in.ts';

/** Of a registry, as `Basic` sends them; undefined: the file has none, or is not there. It is read each time, as it is rotated. */
export async function credentialsIn(file: string | undefined, host: string): Promise<string | undefined> {
  if (file === undefined) return undefined;
  const { auths } = objectIn(await readFile(file, 'utf8').catch(missing));
  const entries = isJsonObject(auths) ? Object.entries(auths) : [];
  const found = entries.find(([name]) => hostOf(name) === host)?.[1];
  if (!isJsonObject(found)) return undefined;
  const [auth, username, password] = ['auth', 'username', 'password'].map((name) =>
    textIn(getOwn(found, name)),
  );
  if (auth !== undefined) return auth;
  if (username === undefined || password === undefined) return undefined;
  return Buffer.from(`${username}:${password}`).toString('base64');
}

function missing(error: NodeJS.ErrnoException): string {
  if (error.code === 'ENOENT') return '';
  throw error;
}

/** Names are hosts, or URLs as `https://index.docker.io/v1/`. */
function hostOf(name: string): string {
  return name.replace(/^https?:\/\//, '').split('/', 1)[0] ?? '';
}

function textIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
