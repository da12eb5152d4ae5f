import type { Admission, ErrorCode, Refusal } from "../../protocol";

export const code: string = "zh";
export const own: string = "中文";
export const pair: { red: string; yellow: string } = { red: "红", yellow: "黄" };
export const percentSign: string = "%";

// --- joining
export const language: string = "语言";
export const typeBig: string = "输入大屏幕上的代码";
export const typeFirst: string = "请先输入代码。";
export const join: string = "加入";
export const noEvent = (code: string): string => `没有代码为 ${code} 的活动。`;
export const goingIn: string = "正在进入";
export const manyPeople: string = "很多人在进场";
export const yourTurn: string = "马上到你，请稍等。";
export const reconnecting: string = "正在重新连接";
export const chooseTeam: string = "选择你的队伍";
export const team = (number: number): string => `${number} 队`;
export const blockReasons: { [code in ErrorCode | "hands_only"]?: readonly [title: string, text: string] } = {
  lobby_closed: ["即将开放", "别关这个页面，开放后会自动进入。"],
  joining_locked: ["暂停加入", "别关这个页面，开放后会自动进入。"],
  hands_only: ["请举手！", "两队都举手表决。请看大屏幕，这里什么都不用按。"],
};
export const asked: { [admission in Admission]: string } = {
  open: "输入屏幕上的代码",
  rotating: "输入屏幕上的代码",
  tickets: "输入票上的代码",
  roster: "输入班级名单上你的代码",
};
export const wrongOnScreen: string = "代码不对，或者已经换了。请再看一眼屏幕。";
export const wrongOnPaper: string = "没有这个代码，请再看一遍。";
export const keyUsed: string = "这个代码正在另一部手机上使用，请找主办方。";
export const oneDevice: string = "每台设备一票，不是每人一票。";
export const kept: string = "隐私";

// --- with a seat
export const youAre: string = "你属于";
export const inTeam = (count: string): string => `你队有 ${count} 人。`;
export const youAreIn: string = "你已入座。";
export const soon: string = "看大屏幕：马上开始。";
export const cheer: string = "按图形，为你队加油。";
export const stopped: string = "比赛已中止，不算成绩。别走，你的座位还在。";
export const nextIn = (time: string): string => `${time}后下一场比赛`;
export const nextBegins: string = "下一场比赛开始了";
export const bestOf = (matches: number): string => `${matches} 局 ${(matches + 1) >> 1} 胜`;
export const peek: string = "主办方能看到投票";
export const hide: string = "隐藏我的投票";
export const hideWord: string = "隐藏";
export const otherTeam: string = "你现在在另一队。";
export const yourVoterCode: string = "你的代号";
export const card: string = "我的比赛";

// --- a turn
export const getReady: string = "准备：第一回合马上开始。";
export const talk: string = "商量一下。";
export const hands: string = "你队举手表决。请举手！";
export const theirTurn = (name: string): string => `${name}正在投票，接下来轮到你们。`;
export const pick: string = "选一列。";
export const choose: string = "请选择。";
export const elsewhere: string = "计入的是另一台设备上更晚的一票。";
export const wasFor = (column: number | string): string => `投的是\u00a0${column}，可以更改。`;
export const counted = (column: number | string): string => `已计入：你投了\u00a0${column}，还可以更改。`;
export const countedHidden: string = "已计入，还可以更改。";
export const sending = (column: number | string): string => `正在发送：${column}…`;
export const notYet = (column: number | string): string => `还没计入：你投的\u00a0${column}，会自动发出。`;
export const notCounted: string = "未计入";
export const stands = (column: number | string): string => `你投给\u00a0${column} 的一票仍然有效。`;
export const reasons: { [code in Refusal]: string } = {
  late: "太晚了",
  early: "太早了",
  unknown: "投票丢失了",
  stale: "更新的一票先到了",
  no_such_turn: "这一回合已结束",
  not_to_move: "还没轮到你队",
  illegal: "这一列已满",
  busy: "现在太忙了",
};
export const paused: string = "稍停片刻。";
export const voteKept: string = "你的投票已保留。";
export const timeIsUp: string = "时间到。";
export const sealed: string = "已封票，正在计票。";
export const allCountedNow: string = "计票完毕，马上揭晓。";
export const waitingForReceipt: string = "正在等待你的投票是否计入…";
export const notVoted: string = "这次你没有投票。";
export const youVoted = (column: number | string): string => `你投了 ${column}。`;
export const lateLast: string = "你上一次按得太晚了。";
export const unsureLast: string = "你上一票无法核对。";

// --- results
export const howVoted: string = "两队的投票";
export const theyPicked = (name: string, column: number | string | null): string => (column === null ? `${name}什么都没选。` : `${name}选了 ${column}。`);
export const noDrop: string = "你队没人投票，这次轮空。";
export const lot = (column: number | string): string => `你队没人投票，抽签抽到 ${column}。`;
export const pickedWithYou = (column: number | string, share: string, others: string): string => `你队选了 ${column}：你和另外 ${others} 人，${share}。`;
export const pickedByYou = (column: number | string, share: string): string => `你队选了 ${column}：只有你一人，${share}。`;
export const picked = (column: number | string, share: string, votes: string): string => `你队选了 ${column}：${share}（${votes}）。`;
export const both = (column: number, name: string): string => `两队都选了 ${column}。${name}持有令牌，先落子。`;
export const full = (column: number, name: string): string => `第 ${column} 列已满，${name}失去这一子。`;
export const tokenTo = (name: string): string => `令牌交给${name}。`;
export const inColumn = (side: string, column: number): string => `${side}落在 ${column}`;
export const nextTurn: string = "下一回合马上开始。";
export const nobodyWins: string = "没有人获胜。";
export const wins = (name: string): string => `${name}获胜！`;
export const withTeam = (turns: number, of: number): string => `${of} 回合中，你有 ${turns} 回合与队伍一致。`;
export const closedShape: string = "截止";
export const sealedShape: string = "封票";
export const countedShape: string = "计毕";
export const over: string = "结束";
export const draw: string = "平局";
export const won: string = "胜";
export const lost: string = "负";

// --- the board as text
export const board: string = "棋盘";
export const column = (number: number): string => `第 ${number} 列`;
export const columnFull: string = "已满";
export const heap = (height: number, rows: number): string => `${rows} 格已占 ${height} 格`;
export const fromBelow: string = "从下往上";
export const statuses: { idle: string; sending: string; counted: string; refused: string } = {
  idle: "",
  sending: "，正在发送你的投票",
  counted: "，你的投票",
  refused: "，未计入",
};
export const votes = (count: number): string => `${count} 票`;
export const holdsToken: string = "持有令牌";

// --- the deferred part of the page
export const away: { [why in "elsewhere" | "noSeat" | "old" | "out" | "shut"]: readonly [title: string, text: string, label: string] } = {
  elsewhere: ["你的座位在另一个窗口打开了", "座位还在，只有最新的几个窗口留在比赛里。", "在这里继续"],
  noSeat: ["这部手机在这里没有座位", "请找主办方。", ""],
  old: ["这个页面太旧了", "重新加载后继续。", "重新加载"],
  out: ["你已被移出", "可以再进来，座位还在。", "再次进入"],
  shut: ["你已被禁入", "请找主办方。", "再试一次"],
};
export const hall: string = "一对一对局";
export const nowYou: string = "轮到你了";
export const notifyMe: string = "轮到我时告诉我";
export const willNotify: string = "只要此页面开着，就会告诉你。";
export const cannotNotify: string = "此浏览器无法告诉你。";
export const rating: string = "等级分";
export const rematch: string = "再来一局";
export const rematchAccept: string = "接受再战";
export const rematchAsked: string = "已邀请再战";
export const waits: string = "还没有对手。把这个链接发给别人：";
export const gathers: string = "大家从这个链接进来。在那个页面开始：";
export const amidst = (name: string): string => `你在众人一边。由${name}开始。`;
export const ofTwo: readonly [title: string, text: string, label: string] = ["双人对局", "座位在对局页面上领取，也可以在那里观看。", "前往对局页面"];
export const whose: string = "照旧继续，还是用这个代码？";
export const whoseText: string = "这台设备已有座位。";
export const asBefore: string = "照旧";
export const withCode = (code: string): string => `用 ${code}`;
export const inSecret: string = "秘密选择。";
export const openly: string = "轮到你们：所有人都看得到。";
export const theySecretly = (name: string): string => `${name}正在秘密选择，接下来轮到你们。`;
export const theyOpenly = (name: string): string => `${name}正在投票：所有人都看得到。`;
export const allCounted = (good: number, votes: number, checked: number): string => `${votes} 票中 ${good} 票已计入${good > checked ? `，${checked} 票已核对` : "并核对"}`;
export const countedAndChecked: string = "已计入并核对";
export const oneByOne: string = "：你的每一票";
export const wholeCount: readonly [before: string, link: string, after: string] = ["凭代码和封印可以在", "完整计票", "里找到你的票。"];
export const voteIn = (turn: number, column: number | string): string => `第 ${turn} 回合，第 ${column} 列：`;
export const codeAndSeal = (code: string, seal: string): string => `代码 ${code}${seal && `，封印 ${seal}`}`;
export const findings: { [found in "checked" | "counted" | "elsewhere" | "unsure" | "late" | "missing" | "none"]: string } = {
  checked: "已计入并核对",
  counted: "已计入；这部手机没看到封印",
  elsewhere: "计入的是另一台设备上更晚的一票",
  unsure: "无法核对：回合结束时这部手机不在线",
  late: "来得太晚",
  missing: "不在计票里",
  none: "还没核对",
};
export const missing = (turn: number, column: number | string, code: string): string => `计票里找不到你的票。请给主办方看：第 ${turn} 回合，第 ${column} 列，代码 ${code}…`;
export const cardTitle: { won: string; lost: string; draw: string } = { won: "我们赢了！", lost: "虽败犹荣", draw: "平局" };
export const turnsVoted: string = "投票回合";
export const agreement: string = "与队伍一致";
export const youCalled: string = "我选中了制胜的一列";
export const save: string = "保存为图片";
export const close: string = "关闭";

export const findDrop: string = "找到我的水滴";
export const dropWaits = (symbol: string): string => `${symbol} 将标出你的水滴`;
export const yourDrop = (symbol: string, number: string): string => `你的是第 ${number} 滴 ${symbol}`;
export const dropFull: string = "本回合不再标记";

// --- secret sides
export const mySide: string = "我的阵营";
export const look: string = "看三秒钟";
export const changeWhen: string = "两回合之间，你可以悄悄换边。";
export const remain: string = "留下";
export const changeOver: string = "换边";
export const noted: string = "已记下。没人看的时候再看一次。";
export const playsFor = (name: string): string => `你现在属于${name}。`;
export const sideChangesLeft = (left: number): string => `还能换边${left}次。`;
export const notChanged: string = "换边来得太晚，没有生效。";
export const endedWon: string = "结束时，你在赢的一边。";
export const endedLost: string = "结束时，你在输的一边。";
export const endedDraw: string = "平局。";
export const points = (count: number): string => `${count}分。`;
export const picking = (column: number | string): string => `你们队选了${column}。`;

// --- ballots of several columns, in the deferred part
export const chooseAll: string = "选所有你喜欢的。";
export const rankUp: string = "最多点三个，最好的先点。";
export const countedSeveral = (column: string): string => `已计入：${column}。可再点，或再点一次取消。`;
export const inPlace = (place: number): string => `第 ${place} 选择`;
export const givePoints: string = "点一下加 1 分，每项最多 5 分。";
export const countedPoints = (column: string): string => `已计入：${column}。再点加 1 分，满 5 分后归零。`;
export const scored = (count: number): string => `${count} 分`;
export const youGave = (count: number): string => `你给了 ${scored(count)}`;
export const pickedInRound = (column: string, round: number, share: string): string => `你队在第 ${round} 轮选了 ${column}：${share}。`;
export const weGaveUp: string = "你队认输了。";
export const gaveUp = (name: string): string => `${name} 认输了。`;
export const giveUp: string = "投票认输";
export const surelyGiveUp: string = "确定？再按一次";
export const takeBackWish: string = "你投了认输。撤回";
export const youDecideTies: string = "你是队长：平票由你决定。";
