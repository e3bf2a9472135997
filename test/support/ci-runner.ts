/**
 * Runs a job of GitHub or GitLab on this machine as its runner does: the steps of the YAML, with the runner's variables,
 * files, masks and caches. Expressions are evaluated by GitHub's own library.
 */
import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { data, Evaluator, Lexer, Parser } from '@actions/expressions';
import { parse } from 'yaml';
import { type CliResult, collect } from './cli.ts';

type Texts = Readonly<Record<string, string>>;

interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly run?: string;
  readonly uses?: string;
  readonly with?: Texts;
  readonly env?: Texts;
}

interface Action {
  readonly inputs: Readonly<
    Record<string, { readonly default?: string; readonly required?: boolean }>
  >;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
}

export interface GitHubJob {
  /** The steps of its only job are run. */
  readonly workflow: string;
  /** Holds the repository's files; its caches, home and temporary files are beside it. */
  readonly folder: string;
  /** What PATH, HOME and others are on the runner. */
  readonly env: Texts;
  readonly secrets: Texts;
  readonly github: Readonly<Record<string, unknown>> & { readonly run_id: string };
  /** The folder of an action by the name before its @. */
  readonly actions: Texts;
}

export interface JobEnd {
  readonly isSuccess: boolean;
  /** As people see it: secrets and masked words are `***`. */
  readonly log: string;
  readonly summary: string;
  /** Of the steps that have an id. */
  readonly outputs: Readonly<Record<string, Texts>>;
}

const VARIABLES: readonly string[] = [
  'run_id',
  'run_attempt',
  'repository_id',
  'repository',
  'job',
];

export async function runGitHubJob(job: GitHubJob): Promise<JobEnd> {
  const { jobs } = parse(job.workflow) as { jobs: Record<string, { env?: Texts; steps: Step[] }> };
  const [id = '', { env = {}, steps } = { steps: [] }] = Object.entries(jobs)[0] ?? [];
  const place = (name: string): string => {
    const path = join(job.folder, name);
    mkdirSync(path, { recursive: true });
    return path;
  };
  const temp = mkdtempSync(join(place('temp'), 'job-'));
  const [workspace, caches] = [place('repository'), place('caches')];
  const github: Readonly<Record<string, unknown>> = { job: id, ...job.github };
  const masks = new Set(Object.values(job.secrets));
  const summaryFile = join(temp, 'summary.md');
  writeFileSync(summaryFile, '');
  const given: Texts = {
    ...{ CI: 'true', GITHUB_ACTIONS: 'true', RUNNER_TEMP: temp, GITHUB_WORKSPACE: workspace },
    ...{ GITHUB_STEP_SUMMARY: summaryFile, RUNNER_OS: 'Linux' },
    ...Object.fromEntries(
      VARIABLES.map((name) => [`GITHUB_${name.toUpperCase()}`, `${github[name]}`]),
    ),
    ...job.env,
  };
  let log = '';
  const hear = (text: string): void => {
    for (const line of text.split('\n').slice(0, -1)) {
      const [, masked] = /^::add-mask::(.*)$/.exec(line) ?? [];
      if (masked === undefined) log += `${hidden(line, masks)}\n`;
      else masks.add(unescaped(masked));
    }
  };

  /** Runs steps one after another; those of an action have contexts of their own. */
  const runSteps = async (list: readonly Step[], scope: Scope): Promise<boolean> => {
    let isSuccess = true;
    for (const step of list) {
      const around = { ...scope, isSuccess };
      if (!isWanted(step.if, around)) continue;
      const fill = (texts: Texts = {}): Texts =>
        Object.fromEntries(
          Object.entries(texts).map(([name, text]) => [name, filled(`${text}`, around)]),
        );
      const variables = { ...scope.env, ...fill(step.env) };
      const end = await runStep(step, { ...around, env: variables }, fill(step.with));
      if (step.id !== undefined) scope.steps[step.id] = { outputs: end.outputs };
      isSuccess &&= end.isSuccess;
    }
    return isSuccess;
  };

  const runStep = async (step: Step, scope: Scope, inputs: Texts): Promise<StepEnd> => {
    const [name = ''] = step.uses?.split('@') ?? [];
    if (step.run !== undefined) return runScript(filled(step.run, scope), scope);
    if (name === 'actions/checkout') return { isSuccess: true, outputs: {} };
    if (name === 'actions/cache/restore')
      return { isSuccess: true, outputs: restore(caches, inputs) };
    if (name === 'actions/cache/save') return { isSuccess: true, outputs: save(caches, inputs) };
    const folder = job.actions[name];
    if (folder === undefined) throw new Error(`there is no action ${name}`);
    return runAction(folder, scope, inputs);
  };

  const runAction = async (folder: string, scope: Scope, inputs: Texts): Promise<StepEnd> => {
    const action = parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as Action;
    const strange = Object.keys(inputs).filter((name) => !(name in action.inputs));
    if (strange.length > 0) throw new Error(`the action has no input ${strange}`);
    const usual = Object.entries(action.inputs).map(([name, row]) => {
      if (row.required === true && inputs[name] === undefined)
        throw new Error(`${name} is required`);
      return [name, filled(row.default ?? '', scope)] as const;
    });
    const env = { ...scope.env, GITHUB_ACTION_PATH: folder };
    const own = { ...scope, env, inputs: { ...Object.fromEntries(usual), ...inputs }, steps: {} };
    const isSuccess = await runSteps(action.runs.steps, own);
    const outputs = Object.entries(action.outputs).map(([name, row]) => [
      name,
      filled(row.value, own),
    ]);
    return { isSuccess, outputs: Object.fromEntries(outputs) };
  };

  const runScript = async (script: string, { env: variables }: Scope): Promise<StepEnd> => {
    const output = join(mkdtempSync(join(temp, 'step-')), 'output');
    writeFileSync(output, '');
    const words = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script];
    const environment = { ...variables, GITHUB_OUTPUT: output };
    const child = spawn('bash', words, { cwd: workspace, env: environment });
    child.stdout.setEncoding('utf8').on('data', hear);
    child.stderr.setEncoding('utf8').on('data', hear);
    const { status } = await collect(child);
    const lines = readFileSync(output, 'utf8').split('\n').filter(Boolean);
    const outputs = lines.map((line) => [line.split('=')[0], line.slice(line.indexOf('=') + 1)]);
    return { isSuccess: status === 0, outputs: Object.fromEntries(outputs) };
  };

  const runner = { os: 'Linux', temp };
  const top: Scope = {
    env: given,
    github,
    runner,
    secrets: job.secrets,
    inputs: {},
    steps: {},
    isSuccess: true,
  };
  top.env = {
    ...given,
    ...Object.fromEntries(Object.entries(env).map(([name, text]) => [name, filled(text, top)])),
  };
  const isSuccess = await runSteps(steps, top);
  const outputs = Object.entries(top.steps).map(([step, end]) => [step, end.outputs]);
  return {
    isSuccess,
    log,
    summary: readFileSync(summaryFile, 'utf8'),
    outputs: Object.fromEntries(outputs),
  };
}

interface StepEnd {
  readonly isSuccess: boolean;
  readonly outputs: Texts;
}

interface Scope {
  env: Texts;
  readonly github: Readonly<Record<string, unknown>>;
  readonly runner: Texts;
  readonly secrets: Texts;
  readonly inputs: Texts;
  readonly steps: Record<string, { readonly outputs: Texts }>;
  readonly isSuccess: boolean;
}

/** A step without a word on earlier ones runs if they all succeeded. */
function isWanted(condition: string | undefined, scope: Scope): boolean {
  const text = condition?.replace(/^\$\{\{(.*)\}\}$/, '$1').trim() ?? 'success()';
  const whole = /\b(?:always|success|failure)\(/.test(text) ? text : `success() && (${text})`;
  return !['false', '', '0'].includes(evaluated(whole, scope));
}

function filled(text: string, scope: Scope): string {
  return text.replace(/\$\{\{(.*?)\}\}/g, (_, expression: string) => evaluated(expression, scope));
}

function evaluated(expression: string, scope: Scope): string {
  const states = { always: true, success: scope.isSuccess, failure: !scope.isSuccess };
  const functions = Object.entries(states).map(([name, is]) => {
    const call = () => new data.BooleanData(is);
    return { name, minArgs: 0, maxArgs: 0, call };
  });
  const { isSuccess: _, ...contexts } = scope;
  const values = JSON.parse(JSON.stringify(contexts), data.reviver) as data.Dictionary;
  const { tokens } = new Lexer(expression.trim()).lex();
  const tree = new Parser(tokens, Object.keys(contexts), functions).parse();
  const known = new Map(functions.map((one) => [one.name, one]));
  return new Evaluator(tree, values, known).evaluate().coerceString();
}

const unescaped = (text: string): string =>
  text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');

const hidden = (line: string, masks: ReadonlySet<string>): string =>
  [...masks].filter(Boolean).reduce((text, mask) => text.replaceAll(mask, '***'), line);

/** Restores the key's own cache, else the newest whose key begins as `restore-keys` says. */
function restore(
  caches: string,
  { path = '', key = '', 'restore-keys': prefix = '' }: Texts,
): Texts {
  const keys = readdirSync(caches).sort(
    (one, other) => timeOf(caches, other) - timeOf(caches, one),
  );
  const found =
    keys.find((name) => name === key) ??
    keys.find((name) => prefix !== '' && name.startsWith(prefix));
  if (found === undefined) return { 'cache-hit': 'false' };
  mkdirSync(dirname(path), { recursive: true });
  cpSync(join(caches, found, 'files'), path, { recursive: true });
  return { 'cache-hit': `${found === key}` };
}

/** A cache that was written is never changed. */
function save(caches: string, { path = '', key = '' }: Texts): Texts {
  const folder = join(caches, key);
  if (existsSync(folder) || !existsSync(path)) return {};
  cpSync(path, join(folder, 'files'), { recursive: true });
  writeFileSync(join(folder, 'written'), `${readdirSync(caches).length}`);
  return {};
}

const timeOf = (caches: string, key: string): number =>
  Number(readFileSync(join(caches, key, 'written'), 'utf8'));

export interface GitLabJob {
  /** Its only job is run. */
  readonly pipeline: string;
  /** Holds the project's files and caches; every run has a home of its own. */
  readonly folder: string;
  /** Of the project and of the runner; those of type file are named in `files`. */
  readonly variables: Texts;
  readonly files: Texts;
}

/** Its scripts run in two shells, in an image where every file that Git lays is for everybody to change. */
export async function runGitLabJob(job: GitLabJob): Promise<CliResult & { readonly home: string }> {
  const jobs = parse(job.pipeline) as Record<string, Record<string, unknown>>;
  const [{ variables, before_script: before, script, after_script: after, cache } = {}] =
    Object.values(jobs);
  const project = join(job.folder, 'project');
  const home = mkdtempSync(join(job.folder, 'home-'));
  const { paths, when } = cache as { paths: string[]; when: string };
  const caches = join(job.folder, 'cache');
  const files = Object.entries(job.files).map(([name, text]) => {
    const path = join(home, name);
    writeFileSync(path, text, { mode: 0o666 });
    return [name, path] as const;
  });
  const env = {
    ...(variables as Texts),
    ...job.variables,
    ...Object.fromEntries(files),
    HOME: home,
  };
  const shell = (lines: unknown): Promise<CliResult> =>
    collect(
      spawn('bash', ['-eo', 'pipefail', '-c', (lines as string[]).join('\n')], {
        cwd: project,
        env,
      }),
    );
  for (const path of paths) {
    if (existsSync(join(caches, path)))
      cpSync(join(caches, path), join(project, path), { recursive: true });
  }
  const end = await shell([...(before as string[]), ...(script as string[])]);
  await shell(after);
  for (const path of end.status === 0 || when === 'always' ? paths : []) {
    cpSync(join(project, path), join(caches, path), { recursive: true });
  }
  return { ...end, home };
}
