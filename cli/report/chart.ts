import { BarChart } from 'echarts/charts';
import { GridComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import { safe, visible } from '../safe-html.js';

use([BarChart, GridComponent, SVGRenderer]);

export type Bars = {
  /** Unique on its page: letters, digits and hyphens. */
  readonly id: string;
  readonly title: string;
  /** What a reader who does not see it is told. */
  readonly description: string;
  readonly rows: readonly { readonly name: string; readonly bars: readonly Bar[] }[];
  /** Where the axis ends; null: where the longest bar does. */
  readonly most: number | null;
};

/** `label` stands at its end. */
export type Bar = { readonly value: number | null; readonly label: string };

/** Of a phone; larger screens show it as it is. */
const WIDTH = 380;
const ROW = 16;
const GAP = 12;
/** As the library measures; fonts of readers are wider by up to a fifth. */
const NAME = 110;

/** Bars that lie side by side, as SVG that brings no style and no script: the page's variables give the colours. */
export function barChart({ id, title, description, rows, most }: Bars): string {
  const many = Math.max(1, ...rows.map(({ bars }) => bars.length));
  const height = rows.length * (many * ROW + GAP) + 8;
  const longest = Math.max(0, ...rows.flatMap(({ bars }) => bars.map(({ value }) => value ?? 0)));
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height });
  try {
    chart.setOption({
      animation: false,
      grid: { left: NAME * 1.2 + 8, right: 88, top: 4, bottom: 4 },
      xAxis: { type: 'value', show: false, min: 0, max: most ?? (longest === 0 ? 1 : longest) },
      yAxis: {
        type: 'category',
        inverse: true,
        data: rows.map(({ name }) => visible(name)),
        axisLine: { lineStyle: { color: 'var(--line)' } },
        axisTick: { show: false },
        axisLabel: { color: 'currentColor', width: NAME, overflow: 'truncate', interval: 0 },
      },
      series: Array.from({ length: many }, (_, nth) => ({
        type: 'bar',
        silent: true,
        clip: false,
        barWidth: ROW - 3,
        barGap: '15%',
        itemStyle: { color: `var(--bar${nth + 1})` },
        data: rows.map(({ bars }) => bars[nth]?.value ?? 0),
        label: {
          show: true,
          position: 'right',
          color: 'currentColor',
          formatter: ({ dataIndex }: { readonly dataIndex: number }) =>
            rows[dataIndex]?.bars[nth]?.label ?? '',
        },
      })),
    });
    return named(bare(chart.renderToSVGString({ useViewBox: true })), { id, title, description });
  } finally {
    chart.dispose();
  }
}

/** Without styles and names of the library: the page's policy lets no other style in, and charts share one page. */
const bare = (svg: string): string =>
  svg
    .replace(/<style\b[^>]*>[\s\S]*?<\/style>/g, '')
    .replace(/<[a-z][^<>]*>/g, (tag) =>
      tag.replace(/ (?:style|class|ecmeta_\w+|pointer-events)="[^"]*"/g, ''),
    );

const named = (svg: string, { id, title, description }: Pick<Bars, 'id' | 'title' | 'description'>): string =>
  svg.replace(
    /^<svg [^<>]*>/,
    () =>
      `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${/viewBox="([\d. -]+)"/.exec(svg)?.[1] ?? ''}" role="img" aria-labelledby="${id}-title ${id}-desc"><title id="${id}-title">${safe(title)}</title><desc id="${id}-desc">${safe(description)}</desc>`,
  );
