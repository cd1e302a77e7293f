/** Paths where code is tried out, shown or made up rather than run: what stands there is no claim about the product. */
export const isTestLike = (path: string): boolean =>
  /(^|\/)(__tests__|__mocks__|__fixtures__|tests?|testing|testdata|test[-_]?data|specs?|fixtures?|mocks?|e2e|cypress|playwright|stubs?|fakes?|snapshots?|benchmarks?|bench)(\/|$)/i.test(
    path,
  ) ||
  /(^|\/)(test_[^/]*|conftest)\.py$/i.test(path) ||
  /[._-](test|tests|spec|specs|mock|mocks|fixture|fixtures|stories|bench)\.[^/]+$/i.test(path);

export const isExample = (path: string): boolean =>
  /(^|\/)(docs?|documentation|examples?|samples?|demos?|tutorials?|website|site)(\/|$)/i.test(path) ||
  /\.(md|mdx|rst|adoc|txt|ipynb)$/i.test(path) ||
  /\.(example|sample|template|dist|tmpl|tpl)(\.[a-z]+)?$/i.test(path) ||
  /(^|\/)[^/]*[._-](example|sample|template)\.[^/]+$/i.test(path);

/** Where services are started for a while, to build and test: their passwords are often made up for it. */
export const isThrowaway = (path: string): boolean =>
  /(^|\/)(\.ci|ci|\.circleci|\.github|\.gitlab|\.buildkite|\.devcontainer|\.woodpecker)(\/|$)/i.test(path) ||
  /(^|\/)((docker-)?compose[^/]*|\.travis|\.gitlab-ci[^/]*|appveyor|azure-pipelines[^/]*|bitbucket-pipelines)\.ya?ml$/i.test(
    path,
  ) ||
  /(^|\/)(Jenkinsfile|Vagrantfile)$/.test(path);

/** Written by a tool, or copied in from elsewhere. */
export const isForeign = (path: string): boolean =>
  /(^|\/)(node_modules|vendor|third[-_]?party|dist|build|out|generated|gen|site-packages|bower_components)(\/|$)/i.test(
    path,
  ) ||
  /(\.min\.[cm]?js|\.pb\.go|_pb2(_grpc)?\.py|\.generated\.[^/]+|_generated\.[^/]+|\.lock|-lock\.json)$/i.test(
    path,
  );

export const folderOf = (path: string): string =>
  path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';

export const fileOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
