import { type Account, type Label, nextId, nodeId, type Pull, type Repository, type World } from './state.js';

/** The label of that name, made on first use, as GitHub does when one is added to an issue. */
export const labelOf = (
  world: World,
  repository: Repository,
  name: string,
  color = 'ededed',
  description: string | null = null,
): Label => {
  const known = repository.labels.get(name.toLowerCase());
  if (known !== undefined) return known;
  const id = nextId(world, 'label');
  const label: Label = { id, nodeId: nodeId('LA', id), name, color, description };
  repository.labels.set(name.toLowerCase(), label);
  return label;
};

export const addLabel = (
  world: World,
  repository: Repository,
  pull: Pull,
  name: string,
  sender: Account,
): void => {
  const label = labelOf(world, repository, name);
  const key = name.toLowerCase();
  if (pull.labels.has(key)) return;
  pull.labels.add(key);
  world.emit({ kind: 'pull_request', action: 'labeled', repository, pull, label, sender });
};

/** False when it does not have that label. */
export const removeLabel = (
  world: World,
  repository: Repository,
  pull: Pull,
  name: string,
  sender: Account,
): boolean => {
  const key = name.toLowerCase();
  const label = repository.labels.get(key);
  if (label === undefined || !pull.labels.delete(key)) return false;
  world.emit({ kind: 'pull_request', action: 'unlabeled', repository, pull, label, sender });
  return true;
};
