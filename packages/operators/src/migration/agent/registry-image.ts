import { readFile } from 'node:fs/promises';
import { defined, errorText } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { exchange, type HttpCall, type HttpResponse, isPrivate } from '../checkpoints/exchange.ts';
import { objectIn } from '../checkpoints/problem-in.ts';
import type { ArchiveFile } from '../checkpoints/verified.ts';
import { type Blob, checkpointImage } from './checkpoint-archive.ts';
import { challengeIn } from './challenge-in.ts';
import { credentialsIn } from './registry-credentials.ts';

export type RegistryOptions = {
  /** A file like `~/.docker/config.json`, or the `.dockerconfigjson` of a Secret. */
  readonly authFile?: string;
  /** A file with the CAs of the registry's certificate, PEM. Default: the CAs that Node.js trusts. */
  readonly caFile?: string;
  /** How long a registry may be silent. Default: five minutes, as it may read an archive before it responds. */
  readonly idleMs?: number;
};

type Call = Omit<HttpCall, 'body' | 'ca'> & {
  /** Makes it, for a call that may be repeated with credentials. */
  readonly body?: () => HttpCall['body'];
};

const IDLE_MS = 300_000;
const MOST_CHARACTERS = 300;

/** An image in a registry, by the OCI distribution API. Calls reject with `OperatorError`. */
export class RegistryImage {
  readonly #image: string;
  readonly #options: RegistryOptions;
  readonly #host: string;
  readonly #repository: string;
  readonly #tag: string;
  #authorization: string | undefined;

  /** @param image `HOST/REPOSITORY:TAG`. Throws `Usage` for a name without a registry. */
  constructor(image: string, options: RegistryOptions = {}) {
    const [, host = '', repository = '', tag = ''] =
      /^(?=[^/]*[.:]|localhost\/)([^/]*)\/(.+):([^:/]+)$/.exec(image) ?? [];
    if (host === '')
      throw new OperatorError(
        'Usage',
        `image ${image} names no registry, as registry.example/checkpoints does`,
      );
    this.#image = image;
    this.#host = host;
    this.#repository = repository;
    this.#tag = tag;
    this.#options = options;
  }

  /** Resolves with the name of the image by digest. */
  async push(archive: ArchiveFile): Promise<string> {
    const { layer, config, manifest } = checkpointImage(this.#image, archive);
    await this.#upload(layer, () => archive.read());
    await this.#upload(config, () => config.content);
    const headers = { 'content-type': manifest.mediaType };
    const body = () => manifest.content;
    await this.#expect(201, `manifests/${this.#tag}`, { method: 'PUT', headers, body });
    return `${this.#image}@${manifest.digest}`;
  }

  /** Does nothing if it is not there. */
  async remove(): Promise<void> {
    const accept = 'application/vnd.oci.image.manifest.v1+json';
    const found = await this.#call(`manifests/${this.#tag}`, { method: 'HEAD', headers: { accept } });
    if (found.status === 404) return;
    const { 'docker-content-digest': digest = '' } = found.headers;
    if (found.status !== 200) throw this.#rejected(found);
    const { status, ...rest } = await this.#call(`manifests/${String(digest)}`, { method: 'DELETE' });
    if (status === 405)
      throw new OperatorError('Failed', `${this.#host} does not allow images to be deleted`);
    if (status !== 202 && status !== 404) throw this.#rejected({ status, ...rest });
  }

  /** In one piece: archives are read from a disk, and a call that fails is repeated. */
  async #upload({ digest, size }: Blob, body: () => HttpCall['body']): Promise<void> {
    if ((await this.#call(`blobs/${digest}`, { method: 'HEAD' })).status === 200) return;
    const begun = await this.#expect(202, 'blobs/uploads/', { method: 'POST' });
    const place = new URL(begun.headers.location ?? '', this.#url('blobs/uploads/'));
    place.searchParams.set('digest', digest);
    const headers = { 'content-type': 'application/octet-stream', 'content-length': String(size) };
    await this.#expect(201, place, { method: 'PUT', headers, body });
  }

  async #expect(status: number, path: string | URL, call: Call): Promise<HttpResponse> {
    const response = await this.#call(path, call);
    if (response.status !== status) throw this.#rejected(response);
    return response;
  }

  #url(path: string): URL {
    const plain = new URL(`http://${this.#host}/v2/${this.#repository}/${path}`);
    return isPrivate(plain) ? plain : new URL(plain.href.replace(/^http:/, 'https:'));
  }

  /** Credentials go to the registry alone, and to whom it names for tokens. */
  async #call(path: string | URL, call: Call): Promise<HttpResponse> {
    const url = typeof path === 'string' ? this.#url(path) : path;
    const isRegistry = url.origin === this.#url('').origin;
    const send = (): Promise<HttpResponse> =>
      this.#send(url, call, isRegistry ? defined({ authorization: this.#authorization }) : {});
    const response = await send();
    if (response.status !== 401 || !isRegistry) return response;
    this.#authorization = await this.#authorize(response);
    return send();
  }

  async #send(url: URL, { body, ...call }: Call, more: Record<string, string>): Promise<HttpResponse> {
    if (!isPrivate(url)) throw new OperatorError('Forbidden', `${url.origin} is not https`);
    const { caFile, idleMs = IDLE_MS } = this.#options;
    const ca = caFile === undefined ? undefined : await readFile(caFile);
    const headers = { ...call.headers, ...more };
    return exchange(url, { ...call, headers, idleMs, ...defined({ ca, body: body?.() }) }).catch(
      (error: unknown) => {
        throw new OperatorError('Unavailable', `${url.host}: ${errorText(error)}`);
      },
    );
  }

  /** What the challenge of a 401 asks for. */
  async #authorize(response: HttpResponse): Promise<string> {
    const challenge = challengeIn(response.headers['www-authenticate']);
    const credentials = await credentialsIn(this.#options.authFile, this.#host);
    const basic = credentials === undefined ? undefined : `Basic ${credentials}`;
    if (challenge?.scheme === 'basic' && basic !== undefined) return basic;
    if (challenge?.scheme !== 'bearer') throw this.#rejected(response);
    const given = await this.#send(challenge.tokenUrl, { method: 'GET' }, defined({ authorization: basic }));
    const { token, access_token: other } = objectIn(given.text);
    const bearer = typeof token === 'string' ? token : other;
    if (given.status !== 200 || typeof bearer !== 'string') throw this.#rejected(given);
    return `Bearer ${bearer}`;
  }

  #rejected({ status, text }: Pick<HttpResponse, 'status' | 'text'>): OperatorError {
    const message = `${this.#host}: ${status} ${text.trim().slice(0, MOST_CHARACTERS)}`.trimEnd();
    if (status === 401 || status === 403)
      return new OperatorError('Forbidden', message, { reason: 'RegistryDenied' });
    return new OperatorError(status >= 500 || status === 429 ? 'Unavailable' : 'Failed', message);
  }
}
