import type { EvidenceSource } from '../core/evidence.js';
import type { RepoReader } from '../ports/forge.js';

/** Code's own look at both versions: the same view of the repository that the evidence tools show. */
export function createEvidenceSource(reader: RepoReader): EvidenceSource {
  return {
    async lines(ref, path) {
      const file = await reader.read(ref, path);
      // What git has of a link is its target, as one line of the diff.
      if (file.kind === 'symlink') return file.target.split('\n');
      return file.kind === 'text' ? file.lines : null;
    },
    async count({ pattern, ref, glob }) {
      const found = await reader.search({ pattern, ref, limit: 1, ...(glob !== undefined && { glob }) });
      return found.kind === 'searched'
        ? {
            kind: 'counted',
            total: found.total,
            files: found.files,
            notSearched: found.notSearched.length,
          }
        : { kind: 'bad', why: found.why };
    },
  };
}
