// SPDX-License-Identifier: Apache-2.0
// A table of rows that may be a hundred thousand: sorted, selected and walked through by
// mouse and keyboard. Cells are text, never markup.
import {
  CellStyleModule,
  ClientSideRowModelModule,
  type ColDef,
  createGrid,
  type GridApi,
  type GridOptions,
  ModuleRegistry,
  QuickFilterModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  type RowSelectionOptions,
  ScrollApiModule,
  TooltipModule,
  themeQuartz,
} from "ag-grid-community";
import { useEffect, useRef } from "preact/hooks";
import { clean, duration, instant, MICROSECOND, number, percent } from "./format";

ModuleRegistry.registerModules([
  CellStyleModule,
  ClientSideRowModelModule,
  QuickFilterModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  ScrollApiModule,
  TooltipModule,
]);

export type Kind = "text" | "ns" | "count" | "share" | "instant";

export interface Column<T> {
  id: string;
  title: string;
  kind: Kind;
  value: (row: T) => string | number | null;
  width?: number;
  /** The text of the header's tooltip. */
  tip?: string;
  sort?: "asc" | "desc";
}

export interface GridProps<T> {
  label: string;
  rows: readonly T[];
  columns: readonly Column<T>[];
  rowKey: (row: T) => string;
  select?: "none" | "one" | "many";
  selected?: ReadonlySet<string>;
  onSelect?: (keys: Set<string>) => void;
  onOpen?: (row: T) => void;
  /** The most visible rows; others are reached by scrolling. */
  lines?: number;
  /** Show only rows that contain this text. */
  search?: string;
  /** Hide columns of numbers that are empty in every row. */
  sparse?: boolean;
}

const THEME = themeQuartz.withParams({
  fontFamily: "inherit",
  fontSize: 13,
  backgroundColor: "var(--surface)",
  foregroundColor: "var(--text)",
  textColor: "var(--text)",
  borderColor: "var(--line)",
  accentColor: "var(--accent)",
  headerBackgroundColor: "var(--raised)",
  headerTextColor: "var(--muted)",
  oddRowBackgroundColor: "var(--surface)",
  rowHoverColor: "var(--hover)",
  selectedRowBackgroundColor: "var(--chosen)",
  browserColorScheme: "inherit",
  headerFontWeight: 600,
  wrapperBorderRadius: 8,
  spacing: 6,
});
const ROW_HEIGHT = 30;
const HEADER_HEIGHT = 36;

function shown(kind: Kind, value: unknown): string {
  if (value === null || value === undefined) return "";
  switch (kind) {
    case "ns":
      return duration(value as number);
    case "instant":
      return instant(value as number, MICROSECOND);
    case "count":
      return number(value as number);
    case "share":
      return percent(value as number);
    case "text":
      return clean(value as string);
  }
}

function definition<T>(column: Column<T>): ColDef<T> {
  const isText = column.kind === "text";
  const found: ColDef<T> = {
    colId: column.id,
    headerName: column.title,
    valueGetter: ({ data }) => (data ? column.value(data) : null),
    valueFormatter: ({ value }) => shown(column.kind, value),
    sortingOrder: isText ? ["asc", "desc", null] : ["desc", "asc", null],
    cellClass: ({ value }) =>
      isText ? "cell-text" : value === 0 ? ["cell-number", "cell-zero"] : "cell-number",
    headerClass: isText ? "" : "header-number",
    minWidth: 70,
    width: column.width ?? (isText ? 220 : 112),
  };
  if (!isText) found.comparator = nullsLast;
  if (column.tip) found.headerTooltip = column.tip;
  if (column.sort) found.sort = column.sort;
  if (isText) found.tooltipValueGetter = ({ value }) => clean(value as string, 1000);
  return found;
}

/** Columns, without those of numbers that are empty in every row. */
function worthShowing<T>({ columns, rows, sparse }: GridProps<T>): readonly Column<T>[] {
  if (!sparse || !rows.length) return columns;
  return columns.filter(
    ({ kind, value }) => kind === "text" || rows.some((row) => Boolean(value(row))),
  );
}

function nullsLast(a: number | null, b: number | null): number {
  return (a ?? -1) - (b ?? -1);
}

function selection(mode: GridProps<unknown>["select"]): RowSelectionOptions | undefined {
  if (mode === "many")
    return {
      mode: "multiRow",
      checkboxes: true,
      headerCheckbox: true,
      enableClickSelection: true,
      selectAll: "filtered",
    };
  if (mode === "one")
    return { mode: "singleRow", checkboxes: false, enableClickSelection: true };
  return undefined;
}

export function Grid<T>(props: GridProps<T>) {
  const host = useRef<HTMLDivElement>(null);
  const grid = useRef<GridApi<T> | null>(null);
  const columns = useRef(0);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    const shown = worthShowing(props);
    columns.current = shown.length;
    const options: GridOptions<T> = {
      theme: THEME,
      columnDefs: shown.map(definition),
      rowData: [...props.rows],
      getRowId: ({ data }) => latest.current.rowKey(data),
      rowHeight: ROW_HEIGHT,
      headerHeight: HEADER_HEIGHT,
      suppressColumnVirtualisation: true,
      suppressDragLeaveHidesColumns: true,
      suppressMovableColumns: false,
      enableCellTextSelection: true,
      animateRows: false,
      ensureDomOrder: true,
      tooltipShowDelay: 600,
      quickFilterText: props.search ?? "",
      overlayNoRowsTemplate: "",
      defaultColDef: { sortable: true, resizable: true },
      onSelectionChanged: ({ api, source }) => {
        if (source === "api") return;
        const { rowKey, onSelect } = latest.current;
        onSelect?.(new Set(api.getSelectedRows().map(rowKey)));
      },
      onRowDoubleClicked: ({ data }) => data && latest.current.onOpen?.(data),
      onCellKeyDown: ({ data, event }) => {
        if (data && (event as KeyboardEvent | null)?.key === "Enter")
          latest.current.onOpen?.(data);
      },
    };
    const root = host.current!.getRootNode();
    if (root instanceof ShadowRoot)
      options.themeStyleContainer = root as unknown as HTMLElement;
    const rowSelection = selection(props.select);
    if (rowSelection) options.rowSelection = rowSelection;
    const api = createGrid(host.current!, options);
    grid.current = api;
    api.setGridAriaProperty("label", props.label);
    // A printed page has no scroll bars: it has all rows, if they are few.
    const print = (on: boolean) => () =>
      api.setGridOption(
        "domLayout",
        on && latest.current.rows.length <= 200 ? "print" : "normal",
      );
    const [before, after] = [print(true), print(false)];
    addEventListener("beforeprint", before);
    addEventListener("afterprint", after);
    return () => {
      removeEventListener("beforeprint", before);
      removeEventListener("afterprint", after);
      api.destroy();
    };
  }, []);

  useEffect(() => {
    const shown = worthShowing(props);
    // Otherwise columns that the user moved or sorted by would be reset.
    if (columns.current !== shown.length)
      grid.current?.setGridOption("columnDefs", shown.map(definition));
    columns.current = shown.length;
    grid.current?.setGridOption("rowData", [...props.rows]);
  }, [props.rows]);
  useEffect(() => {
    grid.current?.setGridOption("quickFilterText", props.search ?? "");
  }, [props.search]);
  useEffect(
    () => mark(grid.current, props.selected, props.rowKey),
    [props.selected, props.rows],
  );

  const lines = Math.min(props.lines ?? 10, Math.max(props.rows.length, 1));
  const height = HEADER_HEIGHT + lines * ROW_HEIGHT + 18;
  return (
    <div
      class="grid"
      ref={host}
      style={{ height: `${height}px` }}
      data-rows={props.rows.length}
    />
  );
}

/** Select just these rows, and show the first of them. */
function mark<T>(
  api: GridApi<T> | null,
  selected: ReadonlySet<string> | undefined,
  rowKey: (row: T) => string,
): void {
  if (!api || !selected) return;
  const on: Parameters<typeof api.setNodesSelected>[0]["nodes"] = [];
  const off: typeof on = [];
  api.forEachNode((node) => {
    const wanted = node.data !== undefined && selected.has(rowKey(node.data));
    if (wanted !== (node.isSelected() ?? false)) (wanted ? on : off).push(node);
  });
  if (off.length) api.setNodesSelected({ nodes: off, newValue: false });
  if (!on.length) return;
  api.setNodesSelected({ nodes: on, newValue: true });
  api.ensureNodeVisible(on[0]!);
}
