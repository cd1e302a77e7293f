import { createHash } from 'node:crypto';
import { z } from 'zod';
import { ForgeError } from '../../core/errors.js';
import { readBytes } from '../../core/repo-view.js';
import type { RawFile } from '../../core/repo-view.js';
import type { GitHubClient } from './client.js';

export type WantedBlob = { readonly id: string; readonly size: number };

export type BlobLimits = {
  readonly count: number;
  readonly bytes: number;
  readonly perQuery: number;
  readonly perQueryBytes: number;
  /** Blobs that GraphQL cuts or garbles and that are asked for one by one. */
  readonly oneByOne: number;
};

export const defaultBlobLimits: BlobLimits = {
  count: 400,
  bytes: 16 << 20,
  perQuery: 50,
  perQueryBytes: 2 << 20,
  oneByOne: 8,
};

/** By blob id; each text is checked by it. `whyNot` says why some that were wanted are not there. */
export type ReadBlobs = { readonly blobs: ReadonlyMap<string, RawFile>; readonly whyNot?: string };

type Place = { readonly owner: string; readonly repo: string };

/** Reads blobs in bulk, in the order wanted, until a limit. A failure costs the blobs, not the run. */
export async function readBlobs(
  client: GitHubClient,
  place: Place,
  wanted: readonly WantedBlob[],
  limits: BlobLimits = defaultBlobLimits,
): Promise<ReadBlobs> {
  const blobs = new Map<string, RawFile>();
  const within = withinLimits(wanted, limits);
  let whyNot =
    within.length < wanted.length
      ? `${wanted.length} files are not in the archive as they are, and ${within.length} is the most that is read one by one`
      : undefined;
  try {
    const left: WantedBlob[] = [];
    for (const batch of batches(within, limits)) {
      const found = await queryBlobs(client, place, batch);
      for (const blob of batch) {
        const file = found.get(blob.id);
        if (file) blobs.set(blob.id, file);
        else left.push(blob);
      }
    }
    if (left.length > limits.oneByOne)
      whyNot ??= `${left.length} files are too large or too odd to be read in bulk, and ${limits.oneByOne} is the most that is read alone`;
    for (const blob of left.slice(0, limits.oneByOne)) {
      const file = await getBlob(client, place, blob);
      if (file) blobs.set(blob.id, file);
      else whyNot ??= 'GitHub gave another content than the tree names';
    }
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error;
    whyNot ??= error.message;
  }
  return { blobs, ...(whyNot === undefined ? {} : { whyNot }) };
}

/** git's name for a content: SHA-1, or SHA-256 in repositories that use it. */
export function blobId(bytes: Uint8Array, idLength: number): string {
  const hash = createHash(idLength === 64 ? 'sha256' : 'sha1');
  return hash.update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
}

function withinLimits(wanted: readonly WantedBlob[], limits: BlobLimits): WantedBlob[] {
  let bytes = 0;
  const within: WantedBlob[] = [];
  for (const blob of wanted) {
    if (within.length >= limits.count) break;
    if (bytes + blob.size > limits.bytes) continue;
    bytes += blob.size;
    within.push(blob);
  }
  return within;
}

function* batches(wanted: readonly WantedBlob[], limits: BlobLimits): Generator<WantedBlob[]> {
  let batch: WantedBlob[] = [];
  let bytes = 0;
  for (const blob of wanted) {
    if (batch.length >= limits.perQuery || (batch.length > 0 && bytes + blob.size > limits.perQueryBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(blob);
    bytes += blob.size;
  }
  if (batch.length > 0) yield batch;
}

const GraphQLBlob = z.object({
  byteSize: z.number().optional(),
  isBinary: z.boolean().nullish(),
  isTruncated: z.boolean().optional(),
  text: z.string().nullish(),
});

async function queryBlobs(
  client: GitHubClient,
  { owner, repo }: Place,
  batch: readonly WantedBlob[],
): Promise<ReadonlyMap<string, RawFile>> {
  const variables = batch.map((_, index) => `$b${index}: GitObjectID!`).join(', ');
  const fields = batch
    .map(
      (_, index) =>
        `b${index}: object(oid: $b${index}) { ... on Blob { byteSize isBinary isTruncated text } }`,
    )
    .join('\n');
  const query = `query EvidentBlobs($owner: String!, $name: String!, ${variables}) {
    repository(owner: $owner, name: $name) { ${fields} }
  }`;
  const asked = Object.fromEntries(batch.map((blob, index) => [`b${index}`, blob.id]));
  const reason =
    batch.length === 1
      ? '1 file that is not in the archive'
      : `${batch.length} files that are not in the archive`;
  const answer = await client.graphql<{ readonly repository: Readonly<Record<string, unknown>> | null }>(
    query,
    { owner, name: repo, ...asked },
    reason,
  );
  const found = new Map<string, RawFile>();
  batch.forEach((blob, index) => {
    const parsed = GraphQLBlob.safeParse(answer.repository?.[`b${index}`]);
    if (!parsed.success) return;
    const { isBinary, isTruncated, text, byteSize } = parsed.data;
    if (isBinary === true) {
      found.set(blob.id, { kind: 'binary', bytes: byteSize ?? blob.size });
      return;
    }
    if (isTruncated === true || typeof text !== 'string') return;
    const bytes = Buffer.from(text);
    if (blobId(bytes, blob.id.length) === blob.id) found.set(blob.id, readBytes(bytes));
  });
  return found;
}

async function getBlob(
  client: GitHubClient,
  { owner, repo }: Place,
  blob: WantedBlob,
): Promise<RawFile | null> {
  const data = await client.get<{ readonly content?: unknown; readonly encoding?: unknown }>(
    '/repos/{owner}/{repo}/git/blobs/{file_sha}',
    { owner, repo, file_sha: blob.id },
    'a file that could not be read in bulk',
  );
  if (typeof data.content !== 'string' || data.encoding !== 'base64') return null;
  const bytes = Buffer.from(data.content, 'base64');
  return blobId(bytes, blob.id.length) === blob.id ? readBytes(bytes) : null;
}
