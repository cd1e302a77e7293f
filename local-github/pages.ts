import type { Reply } from './http.js';
import { Refusal } from './refusal.js';
import type { World } from './state.js';

export const showPage = async (world: World, path: string): Promise<Reply> => {
  const [, owner = '', name = '', kind = '', number = ''] = path.split('/');
  const repository = world.repositories.get(`${owner}/${name}`.toLowerCase());
  const pull = kind === 'pull' ? repository?.pulls.get(Number(number)) : undefined;
  if (repository === undefined || pull === undefined) throw new Refusal(404, 'Not Found');
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: Buffer.from(pull.title),
  };
};
