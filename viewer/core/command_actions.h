// What the commands of the table do, where it does not stand beside the table: declared here,
// defined in commands_*.cc by subject. Only commands.cc uses it.
#pragma once

#include <string>

#include "viewer/core/command.h"
#include "viewer/core/context.h"

namespace stepscope::actions {

using Act = void(ViewerContext& context, const CommandArgs& args);
using Ask = bool(const ViewerContext& context);

void Say(ViewerContext& context, std::string text);  // in the status bar
void FoldByRules(ViewerContext& context);            // what is folded becomes what the rules say

// commands_file.cc
Act OpenFile, OpenFolder, OpenSample, CompareWith, CloseRun, ClearRecent, AnswerQuestion;
Act Export, ExportPicture, ExportPng, ExportSvg, WriteExport, SavePicture, CancelLoading, Quit;

// commands_event.cc: one event
Act Select, Reveal, ShowEvents, NextShown, PreviousShown, Escape, NextSame, PreviousSame;
Act SelectParent, NextEvent, PreviousEvent, FocusSearch, SetSearch, NextHit, PreviousHit;
Act CopyName, CopyText, CopyAll;

// commands_window.cc: lanes, definitions, theme, size, panels, help and settings
Act PythonFrames, DerivedLanes, WaitingLanes, SwitchDefinitions, NextTheme, SetTheme, TallPanels;
Act Fullscreen, LargerText, SmallerText, NormalText, ShowNote, ShowPanel, DuplicatePanel;
Act TogglePanel, ToggleHelp, ToggleSettings, TogglePalette, ChangeSetting;

// commands_view.cc: the view by steps
Act ZoomIn, ZoomOut, ZoomInFine, ZoomOutFine, ZoomInCoarse, ZoomOutCoarse;
Act PanLeft, PanRight, PanLeftFine, PanRightFine, PanLeftCoarse, PanRightCoarse;
Act ScrollUp, ScrollDown, PageUp, PageDown, Scroll;

// commands_range.cc: measured ranges, what panels are limited to, steps
Act SetMeasured, MeasureSelection;
Act FilterRange, FilterHere, FilterVisible, FilterSteps, PopFilter, ClearFilters;
Act NextStep, PreviousStep, GoToStep, TypicalStep, WorstStep, ShowPath;
Ask HasFilter, HasSteps, HasArrows;

// commands_tracks.cc: how tracks are arranged
Act ToggleCollapse, CollapseAll, ExpandAll, ToggleHidden, ShowHidden, ResetLayout;
Act TogglePin, MoveTrack, PlaceTrack, LimitRows, FilterTracks, OnlySelected, UnpinAll, SortTracks;
Ask HasHidden, HasOrder;

// commands_select.cc: several events, and what is linked to the selected one
Act SelectEvents, ToggleEvent, SelectHits, MeasureShown, NextFlow, PreviousFlow, FirstChild;
Ask HasHits, HasFlows;

// commands_compare.cc: two profiles beside each other
Act SwapBaseline, Counterpart, AlignSteps, AlignBegins, AlignEvents, StretchSteps, CompareColors;
Act ChooseLayout;
Ask Compares, HasAreas, StepsStretched;

// commands_place.cc: views to go back to, views as text, markers
Act GoBack, GoForward, CopyViewToken, OpenViewToken;
Act AddMarker, RemoveMarker, RenameMarker, ColorMarker, NextMarker, PreviousMarker;
Ask CanGoBack, CanGoForward, HasMarkers;

}  // namespace stepscope::actions
